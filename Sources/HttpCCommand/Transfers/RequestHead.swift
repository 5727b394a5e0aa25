import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvFormats

/// Method, URL and header fields from the options.
struct RequestHead {
    private let method: HTTPRequest.Method
    private let fields: HTTPFields
    private let payload: RequestPayload

    init(_ plan: RequestPlan, _ payload: RequestPayload, _ cookie: String?) throws(CommandFailure) {
        self.payload = payload
        method = try Self.method(plan, payload)
        let range = try RangeOption(plan)
        if plan.referer?.ends(withBytesOf: ";auto") == true {
            throw CommandFailure(
                .usage, "-e: httpc sends the Referer that you give, and sets none at redirects. Leave ;auto out.")
        }
        do throws(ConversationError) {
            var defaults = HTTPFields()
            defaults.append(try HTTPField(checking: "User-Agent", plan.userAgent ?? "httpc/\(HttpcMain.version)"))
            defaults.append(try HTTPField(checking: "Accept", payload.accept ?? "*/*"))
            if plan.userAgent == "" { defaults[.userAgent] = nil }
            if let range { defaults.append(range.field) }
            if let referer = plan.referer, !referer.isEmpty {
                defaults.append(try HTTPField(checking: "Referer", referer))
            }
            if let cookie { defaults.append(try HTTPField(checking: "Cookie", cookie)) }
            if let type = payload.contentType { defaults.append(try HTTPField(checking: "Content-Type", type)) }
            fields = try Self.withBoundary(try Self.checked(plan.headers, defaults), of: payload)
        } catch {
            throw CommandFailure(.usage, error.commandMessage)
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

    /// Adds the boundary of a form to a media type from -H, as curl does: without it no server can read the form.
    private static func withBoundary(
        _ fields: HTTPFields, of payload: RequestPayload
    ) throws(ConversationError) -> HTTPFields {
        guard let type = payload.contentType, let boundary = type.cut(atASCII: ";")?.after,
            let given = fields[.contentType], given != type
        else { return fields }
        guard !given.lowercased().contains("boundary=") else {
            throw ConversationError(
                .invalidRequest,
                "-F chooses the boundary of the form. Leave it out of the Content-Type of -H, and httpc adds it.")
        }
        var fields = fields
        fields[.contentType] = "\(given);\(boundary)"
        return fields
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
