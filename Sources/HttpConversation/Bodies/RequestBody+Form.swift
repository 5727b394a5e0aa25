import HttpConvFormats

extension RequestBody {
    /// The fields of a form, as `application/x-www-form-urlencoded`.
    ///
    /// ```swift
    /// _ = try await manager.post("https://example.com/search", .form([("q", "tea & biscuits"), ("page", "2")]))
    /// ```
    /// Names and values are encoded as browsers encode them (the serializer of the URL standard): UTF-8, a space as
    /// `+`, and everything but letters, digits and `*-._` percent-encoded. Line breaks stay unchanged. `Content-Type`
    /// is set unless the request has one. For files use ``multipart(_:)``.
    ///
    /// - Parameter fields: names and values, in the order of sending; a name may occur more than once
    public static func form(_ fields: [(String, String)]) -> RequestBody {
        let text = FormEncoding.encode(fields.map { (name: $0.0, value: $0.1) })
        return RequestBody(.bytes(Array(text.utf8)), contentType: FormEncoding.mediaType)
    }
}
