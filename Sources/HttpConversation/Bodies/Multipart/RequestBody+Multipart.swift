extension RequestBody {
    /// A form of fields and files, as `multipart/form-data` (RFC 7578) with a random boundary.
    ///
    /// No part is in memory as a whole, and none is read before it is its turn. The length is known, and announced, where
    /// that of every part is. The form can be sent again where every part can; with one-shot parts it is a one-shot body,
    /// whose length is known where that of every part is without opening it.
    ///
    /// A part that turns out longer or shorter than it was ends the request with
    /// ``ConversationError/Code/bodyUnavailable``, before the server could take the form for complete.
    ///
    /// - Parameter parts: in the order in which they are sent
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
