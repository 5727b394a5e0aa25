import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

extension RequestPayload {
    /// The body for all requests: data, JSON or a form.
    init(_ options: BodyOptions) throws(CommandFailure) {
        let data = [options.data, options.dataBinary, options.dataRaw, options.dataEncoded]
        let kinds = [
            data.contains { !$0.isEmpty }, !options.json.isEmpty,
            !options.form.isEmpty || !options.formStrings.isEmpty,
            options.uploads.contains { !$0.isEmpty },
        ]
        if kinds.count(where: { $0 }) > 1 {
            throw CommandFailure(
                .usage, "-T and -d exclude each other, and so do --json and -F: a request has one body.")
        }
        if options.dataInQuery, kinds[2] || kinds[3] {
            throw CommandFailure(.usage, "-G goes with -d: neither a form nor a file fits into a query.")
        }
        if kinds[0] {
            try self.init(data: options)
        } else if kinds[1] {
            try self.init(json: options)
        } else if kinds[2] {
            try self.init(form: options)
        } else {
            self.init()
        }
    }

    private init(data options: BodyOptions) throws(CommandFailure) {
        if let file = Self.wholeFile(options) {
            try InputFile.requireReadable(file)
            body = .file(URL(exactPath: file))
        } else {
            let bytes = try DataArgument.join(options)
            if options.dataInQuery {
                guard let text = String(validating: bytes, as: UTF8.self) else {
                    throw CommandFailure(
                        .usage,
                        "The data of -G is not UTF-8, and a query is text. Use --data-urlencode NAME@FILE, which encodes any bytes."
                    )
                }
                query = text
                return
            }
            body = .bytes(bytes)
        }
        method = .post
        contentType = FormEncoding.mediaType
    }

    private init(json options: BodyOptions) throws(CommandFailure) {
        if options.dataInQuery { throw CommandFailure(.usage, "-G goes with -d: JSON is not a query.") }
        body = .bytes(try DataArgument.json(options.json))
        method = .post
        contentType = "application/json"
        accept = "application/json"
    }

    private init(form options: BodyOptions) throws(CommandFailure) {
        var parts: [MultipartPart] = []
        for argument in options.form { parts += try FormArgument.parts(argument) }
        for argument in options.formStrings { parts.append(try FormArgument.field(argument)) }
        let form = RequestBody.multipart(parts)
        body = form
        contentType = form.contentType
        method = .post
    }

    /// The largest size of a file that is read ahead. Files of /proc report the size 0, and those of /sys one page,
    /// regardless of their contents.
    private static let pageSize = Int(getpagesize())

    /// The path of a single file that is sent unchanged, and thus needs no memory. Nil for a small one.
    private static func wholeFile(_ options: BodyOptions) -> String? {
        guard !options.dataInQuery, options.data.isEmpty, options.dataRaw.isEmpty, options.dataEncoded.isEmpty,
            options.dataBinary.count == 1, let argument = options.dataBinary.first,
            argument.hasPrefix("@"), argument != "@-"
        else { return nil }
        let path = String(argument.dropFirst())
        guard let size = InputFile.size(ofRegular: path), size > pageSize else { return nil }
        return path
    }
}
