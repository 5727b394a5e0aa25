#if os(Linux)
import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization

/// A server that is shown certificates; only the conversation's transport reaches it.
final class HeldSite: HTTPTransport {
    /// A request with its body.
    struct Arrival: Sendable {
        let line: String
        let host: String
        let fields: HTTPFields
        let body: String
        /// Whether the server may be shown a certificate.
        let presentsIdentity: Bool
    }

    static let base = "https://held.localhost"
    private let pages: [String: ScriptedTransport.Answer]
    private let arrived = Mutex<[Arrival]>([])
    private let wantsPassword: Bool
    let connectionPolicy: ConnectionPolicy

    /// - Parameters:
    ///   - pages: the pages by method and path
    ///   - wantsPassword: whether all pages require Basic
    ///   - connectionPolicy: the settings that keep servers from the browser
    init(
        _ pages: [String: ScriptedTransport.Answer], wantsPassword: Bool = false,
        connectionPolicy: ConnectionPolicy = ConnectionPolicy()
    ) {
        self.pages = pages
        self.connectionPolicy = connectionPolicy
        self.wantsPassword = wantsPassword
    }

    static func page(_ html: String, _ fields: HTTPFields = [:]) -> ScriptedTransport.Answer {
        var fields = fields
        fields[.contentType] = "text/html; charset=utf-8"
        return .init(.ok, fields, body: html)
    }

    /// Fields that set several cookies.
    static func setting(_ cookies: String..., fields: HTTPFields = [:]) -> HTTPFields {
        var fields = fields
        for cookie in cookies { fields.append(HTTPField(name: .setCookie, value: cookie)) }
        return fields
    }

    var arrivals: [Arrival] { arrived.withLock { $0 } }
    var lines: [String] { arrivals.map(\.line) }
    func arrival(_ line: String) -> Arrival? { arrivals.last { $0.line == line } }

    // MARK: The transport

    var capabilities: TransportCapabilities { [.streamingRequests, .streamingResponses, .clientCertificates] }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        var body = ""
        if case .bytes(let bytes) = request.body?.kind { body = String(decoding: bytes, as: UTF8.self) }
        let line = "\(request.method.rawValue) \(request.target.path)"
        let arrival = Arrival(
            line: line, host: request.target.origin.host, fields: request.headerFields, body: body,
            presentsIdentity: request.options.clientIdentity != nil)
        if !line.hasSuffix("/favicon.ico") { arrived.withLock { $0.append(arrival) } }
        let isRefused = wantsPassword && request.headerFields[.authorization] == nil
        let answer =
            isRefused
            ? ScriptedTransport.Answer(.unauthorized, [.wwwAuthenticate: "Basic realm=\"held\""])
            : pages[line] ?? Self.page("no page")
        return try await ScriptedTransport { _, _ in answer }.send(request)
    }

    func shutdown() async {}
}
#endif
