extension RequestBody {
    /// A form of fields and files, as `multipart/form-data` (RFC 7578) with a random boundary.
    ///
    /// Parts are read one after the other as they are sent, and are never in memory as a whole. The length is announced
    /// if every part's is known. The form can be sent again if every part can. With a one-shot part it is a one-shot
    /// body, whose length is known if every part's is known without opening it.
    ///
    /// A part that turns out longer or shorter than announced ends the request with
    /// ``ConversationError/Code/bodyUnavailable``, before the server could take the form for complete.
    ///
    /// - Parameter parts: the parts, in the order of sending
    public static func multipart(_ parts: [MultipartPart]) -> RequestBody {
        multipart(parts, boundary: MultipartBody.randomBoundary())
    }

    static func multipart(_ parts: [MultipartPart], boundary: String) -> RequestBody {
        let form = MultipartBody(parts, boundary: boundary)
        let isRestartable = parts.allSatisfy(\.body.isRestartable)
        var body: RequestBody = isRestartable ? .source(form) : .oneShot(length: form.knownLength, form.openedLater())
        body.contentType = "multipart/form-data; boundary=\(boundary)"
        return body
    }
}
