import Foundation
import HttpC

/// The body that the options ask for, and what it does to method and URL.
struct RequestPayload {
    var body: RequestBody?
    /// POST for data, PUT for an upload.
    var method = HTTPRequest.Method.get
    var contentType: String?
    /// What -G adds to the query.
    var query: String?
    /// What -T appends to a URL that ends in a slash.
    var fileName: String?

    init(_ options: RequestOptions) throws(CommandFailure) {
        let hasData = !options.data.isEmpty || !options.dataBinary.isEmpty
        guard let upload = options.upload else {
            if hasData { try self.init(data: options) } else { self.init() }
            return
        }
        if hasData { throw CommandFailure(.usage, "-T and -d exclude each other: a request has one body.") }
        try self.init(upload: upload)
    }

    private init() {}

    private init(data options: RequestOptions) throws(CommandFailure) {
        if !options.dataInQuery, let file = Self.wholeFile(options) {
            try InputFile.requireReadable(file)
            body = .file(URL(filePath: file))
        } else {
            let bytes = try DataArgument.join(data: options.data, binary: options.dataBinary)
            if options.dataInQuery {
                query = String(decoding: bytes, as: UTF8.self)
                return
            }
            body = .bytes(bytes)
        }
        method = .post
        contentType = "application/x-www-form-urlencoded"
    }

    /// A single file that is sent as it is needs no memory.
    private static func wholeFile(_ options: RequestOptions) -> String? {
        guard options.data.isEmpty, options.dataBinary.count == 1, let argument = options.dataBinary.first,
            argument.hasPrefix("@"), argument != "@-"
        else { return nil }
        let path = String(argument.dropFirst())
        return InputFile.isRegular(path) ? path : nil
    }

    private init(upload: String) throws(CommandFailure) {
        method = .put
        if upload == "-" || upload == "." {
            body = .oneShot(InputFile.standardInput())
            return
        }
        try InputFile.requireReadable(upload)
        fileName = URL(filePath: upload).lastPathComponent
        // A pipe or device can be read once only, as standard input.
        body = InputFile.isRegular(upload) ? .file(URL(filePath: upload)) : .oneShot(try InputFile.stream(upload))
    }
}
