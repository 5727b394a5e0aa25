import HttpC

/// Method, URL and header fields from the options.
struct RequestHead {
    private let options: RequestOptions
    private let method: HTTPRequest.Method
    private let fields: HTTPFields
    private let payload: RequestPayload

    init(_ command: RequestCommand, _ payload: RequestPayload, _ cookie: String?) throws(CommandFailure) {
        options = command.request
        self.payload = payload
        method = try Self.method(command, payload)
        let range = try RangeOption(command.files)
        do throws(ConversationError) {
            var defaults = HTTPFields()
            defaults.append(try HTTPField(checking: "User-Agent", options.userAgent ?? "httpc/\(HttpcMain.version)"))
            defaults.append(try HTTPField(checking: "Accept", payload.accept ?? "*/*"))
            if options.userAgent == "" { defaults[.userAgent] = nil }
            if let range {
                defaults.append(range.field)
                // Ranges count the bytes as sent.
                defaults.append(try HTTPField(checking: "Accept-Encoding", "identity"))
            }
            if let referer = options.referer { defaults.append(try HTTPField(checking: "Referer", referer)) }
            if let cookie { defaults.append(try HTTPField(checking: "Cookie", cookie)) }
            if let type = payload.contentType { defaults.append(try HTTPField(checking: "Content-Type", type)) }
            fields = try Self.checked(options.headers, defaults)
        } catch {
            throw CommandFailure(.usage, error.message)
        }
    }

    func request(for url: TargetURL) throws(CommandFailure) -> HTTPRequest {
        var target = url
        if let name = payload.fileName { target = try URLArgument.appending(fileName: name, to: target) }
        if let query = payload.query { target = try URLArgument.appending(query: query, to: target) }
        return HTTPRequest(method, target, fields: fields)
    }

    private static func checked(_ headers: [String], _ defaults: HTTPFields) throws(ConversationError) -> HTTPFields {
        do throws(CommandFailure) { return try HeaderArgument.fields(headers, defaults: defaults) } catch {
            throw ConversationError(.invalidRequest, error.message)
        }
    }

    private static func method(
        _ command: RequestCommand, _ payload: RequestPayload
    ) throws(CommandFailure) -> HTTPRequest.Method {
        if command.output.head, payload.body != nil {
            throw CommandFailure(.usage, "-I asks for a head only, which -d, --json, -F and -T do not go with.")
        }
        guard let text = command.request.method else { return command.output.head ? .head : payload.method }
        do throws(ConversationError) { return try HTTPRequest.Method(checking: text) } catch {
            throw CommandFailure(error)
        }
    }
}
