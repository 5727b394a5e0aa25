import HttpC
import HttpCClient
import HttpCTerminal

/// Method, URL and header fields from the options.
struct RequestHead {
    private let method: HTTPRequest.Method
    private let fields: HTTPFields
    private let payload: RequestPayload

    init(_ plan: RequestPlan, _ payload: RequestPayload, _ cookie: String?) throws(CommandFailure) {
        self.payload = payload
        method = try Self.method(plan, payload)
        let range = try RangeOption(plan)
        do throws(ConversationError) {
            var defaults = HTTPFields()
            defaults.append(try HTTPField(checking: "User-Agent", plan.userAgent ?? "httpc/\(HttpcMain.version)"))
            defaults.append(try HTTPField(checking: "Accept", payload.accept ?? "*/*"))
            if plan.userAgent == "" { defaults[.userAgent] = nil }
            if let range {
                defaults.append(range.field)
                // Ranges count the bytes as sent.
                defaults.append(try HTTPField(checking: "Accept-Encoding", "identity"))
            }
            if let referer = plan.referer { defaults.append(try HTTPField(checking: "Referer", referer)) }
            if let cookie { defaults.append(try HTTPField(checking: "Cookie", cookie)) }
            if let type = payload.contentType { defaults.append(try HTTPField(checking: "Content-Type", type)) }
            fields = try Self.checked(plan.headers, defaults)
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
        _ plan: RequestPlan, _ payload: RequestPayload
    ) throws(CommandFailure) -> HTTPRequest.Method {
        if plan.asksForHead, payload.body != nil {
            throw CommandFailure(.usage, "-I asks for a head only, which -d, --json, -F and -T do not go with.")
        }
        guard let text = plan.method else { return plan.asksForHead ? .head : payload.method }
        do throws(ConversationError) { return try HTTPRequest.Method(checking: text) } catch {
            throw CommandFailure(error)
        }
    }
}
