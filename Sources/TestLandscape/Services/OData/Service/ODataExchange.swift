import HTTPTypes
import HummingbirdCore
import NIOCore

/// A request to an OData service: login, CSRF token, answer.
struct ODataExchange {
    static let sessionCookie = "LANDSCAPE_ODATA_SESSION"
    private static let tokenField = "X-CSRF-Token"

    let exchange: ServerExchange
    let version: ODataVersion
    /// The path of the service, with a slash at its end.
    let root: String
    /// The segments below the root.
    let segments: [String]
    /// Whether the service needs no login.
    let isOpen: Bool

    private var server: ODataServer { exchange.shared.service() }
    private var isReading: Bool { ["GET", "HEAD", "OPTIONS"].contains(exchange.method) }

    /// Answers after the login.
    func respond() async throws -> Response {
        server.counters.count(\.requests)
        let rule = server.rule
        if !isReading, rule.needsToken, !isOpen, !hasToken {
            server.counters.count(\.tokenless)
            for try await _ in try await exchange.body() {}
            return finished(adding("Required", to: .text("CSRF token validation failed\n", status: .forbidden)))
        }
        let body = isReading ? [] : Array(try await exchange.body().collect(upTo: 16 << 20).readableBytesView)
        let call = ODataRequest(
            method: exchange.method, segments: segments, query: exchange.query, fields: exchange.incoming.fields,
            body: body)
        let service = ODataService(
            version: version, root: exchange.ownBase + root,
            elsewhere: exchange.shared.addresses.base(of: .other) + root,
            rule: rule)
        let answer = server.answer(call, by: service)
        count(answer)
        if answer.isPage, server.countPage() {
            exchange.shared.endSessions()
            exchange.shared.service(OAuthServer.self).tokens.expireAccessTokens()
        }
        let response = response(answer, rule.fault, isMetadata: segments == ["$metadata"])
        guard isReading, exchange.field(Self.tokenField)?.lowercased() == "fetch" else { return finished(response) }
        return finished(fetching(response))
    }

    private func count(_ answer: ODataAnswer) {
        if answer.status == 412 { server.counters.count(\.conflicts) }
        if segments == ["$batch"] { server.counters.count(\.batches) }
        if !isReading, (200...204).contains(answer.status) { server.counters.count(\.changes) }
    }

    private func response(_ answer: ODataAnswer, _ fault: ODataFault?, isMetadata: Bool) -> Response {
        var fields = HTTPFields()
        for field in answer.fields {
            if let name = HTTPField.Name(field.name) { fields.append(HTTPField(name: name, value: field.value)) }
        }
        let wrong = answer.status == 200 ? fault?.body(instead: answer.body, isMetadata: isMetadata) : nil
        return Response(
            status: HTTPResponse.Status(code: answer.status), headers: fields,
            body: wrong ?? ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body)))
    }

    private func finished(_ response: Response) -> Response {
        adding(version.field.value, to: response, as: version.field.name)
    }

    private func adding(_ value: String, to response: Response, as name: String = tokenField) -> Response {
        HTTPField.Name(name).map { response.adding($0, value) } ?? response
    }

    // MARK: CSRF tokens

    private var place: String { "\(exchange.origin) \(root)" }

    private var session: String? {
        CookieHeader.value(of: Self.sessionCookie, in: exchange.incoming.fields)
            .flatMap { server.tokens.isSession($0) ? $0 : nil }
    }

    private var hasToken: Bool {
        server.tokens.isValid(exchange.field(Self.tokenField), of: place, session: session)
    }

    private func fetching(_ response: Response) -> Response {
        let session = session ?? server.tokens.beginSession()
        let response = adding(server.tokens.token(of: place, session: session), to: response)
        guard self.session == nil else { return response }
        return response.adding(.setCookie, "\(Self.sessionCookie)=\(session); Path=\(root); HttpOnly")
    }
}
