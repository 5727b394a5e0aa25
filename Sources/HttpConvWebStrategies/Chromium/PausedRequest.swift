#if os(Linux)
import HTTPTypes
import HttpConvAuthFlows
import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// A request that the browser holds until it is continued, failed or answered: `Fetch.requestPaused`.
struct PausedRequest: Sendable {
    /// The id for the answer.
    let id: String
    /// The session of the page or frame that sends it.
    let session: String?
    let frame: String?
    /// The resource type, such as `Document`.
    let kind: String?
    let target: TargetURL
    let method: HTTPRequest.Method
    /// The fields, with the cookies that the browser would send by its own rules.
    let fields: HTTPFields
    /// The body; nil if the browser does not show it, for example with files.
    let body: Data?

    /// The fields that the transport sets itself (RFC 9110 §7.6.1), and the codings that it requests itself.
    private static let fieldsOfTransport: Set<String> = [
        "host", "connection", "content-length", "transfer-encoding", "te", "trailer", "upgrade", "expect", "keep-alive",
        "proxy-connection", "proxy-authorization", "accept-encoding",
    ]

    /// Returns nil if the request does not go to a web server.
    init?(_ event: DevToolsEvent) {
        let request = event.parameters["request"]
        guard let id = event.parameters["requestId"]?.text, let request, let url = request["url"]?.text,
            let target = try? TargetURL(url), let method = request["method"]?.text.flatMap({ HTTPRequest.Method($0) })
        else { return nil }
        self.id = id
        self.target = target
        self.method = method
        session = event.session
        frame = event.parameters["frameId"]?.text
        kind = event.parameters["resourceType"]?.text
        fields = Self.fields(request["headers"])
        body = Self.body(of: request)
    }

    private static func fields(_ headers: JSONValue?) -> HTTPFields {
        guard case .object(let members)? = headers else { return [:] }
        var fields = HTTPFields()
        for (name, value) in members where !fieldsOfTransport.contains(name.lowercased()) {
            guard let name = HTTPField.Name(name), case .string(let value) = value,
                let field = try? HTTPField(name, checking: value)
            else { continue }
            fields.append(field)
        }
        return fields
    }

    /// The body of a request in DevTools' form. Returns nil if there is one that the browser does not show.
    static func body(of request: JSONValue) -> Data? {
        if let entries = request["postDataEntries"]?.elements, !entries.isEmpty {
            var body = Data()
            for entry in entries {
                guard case .string(let text)? = entry["bytes"], let part = Data(base64Encoded: text) else { return nil }
                body += part
            }
            return body
        }
        if let text = request["postData"]?.text { return Data(text.utf8) }
        return request["hasPostData"]?.bool == true ? nil : Data()
    }
}
#endif
