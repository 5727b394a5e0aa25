import HttpC
import HttpCTerminal
import HttpConvPlatform

/// The body of a request, and its effect on method, fields and URL.
struct RequestPayload {
    var body: RequestBody?
    /// POST for data, PUT for an upload.
    var method = HTTPRequest.Method.get
    var contentType: String?
    /// The value of `Accept` that replaces the default.
    var accept: String?
    /// The text that -G adds to the query.
    var query: String?
    /// The name that -T appends to a URL that ends in a slash.
    var fileName: String?

    /// An empty payload.
    init() {}

    /// The body of a -T file.
    init(upload: String) throws(CommandFailure) {
        method = .put
        if upload == "-" || upload == "." {
            body = .oneShot(InputFile.standardInput())
            return
        }
        body = try InputFile.body(upload)
        fileName = URL(exactPath: upload).lastPathComponent
    }
}
