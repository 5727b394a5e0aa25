internal import HTTPTypes
import HttpConvFormats
internal import HttpConvPlatform
public import HttpConversation

/// Asks the domain of an address over https: `https://example.com/.well-known/mobile-logon`. The document is described
/// in <doc:Discovery>.
///
/// Only the domain learns about the request. It carries no login, no cookie, no certificate, and nothing of the address
/// before the `@`.
public struct WellKnownDiscovery: ServerDiscovery {
    /// The path of the document.
    public static let path = "/.well-known/mobile-logon"
    private static let maximumBytes = 16 << 10
    private static let maximumRedirects = 3

    /// Provides transport and observers; its filters and its session are not used.
    public let manager: HttpConversationManager
    /// The time limit of the request.
    public var timeout: Duration = .seconds(10)
    /// Maps a domain to the origin to ask; tests use other ports.
    package var place: @Sendable (Origin) -> Origin = { $0 }

    /// A discovery over a manager's transport.
    public init(_ manager: HttpConversationManager) { self.manager = manager }

    public func server(
        for address: String, _ options: LogonOptions, applicationID: String
    ) async throws(LogonError) -> DiscoveredServer? {
        let domain = try Self.domain(of: address)
        guard let answer = try await ask(domain) else { return nil }
        guard let document = try? JSONDecoder().decode(DiscoveryDocument.self, from: Data(answer.bytes)) else {
            throw Self.failure(domain, "the document about its server cannot be read")
        }
        return DiscoveredServer(
            try document.registration(options, applicationID: applicationID), from: answer.origin, for: domain.host)
    }

    // MARK: Addresses

    /// The server of the domain. Refuses names that are not public: they would be machines of the local network.
    private static func domain(of address: String) throws(LogonError) -> Origin {
        let parts = address.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, let name = parts.first, let domain = parts.last, (1...64).contains(name.utf8.count),
            domain.utf8.contains(UInt8(ascii: ".")),
            let origin = try? Origin(scheme: .https, host: String(domain)), !origin.isIPLiteral, !origin.isLoopback,
            !origin.isLocalName
        else { throw LogonError(.invalidParameter, "That is not a mail address, such as alice@example.com.") }
        return origin
    }

    // MARK: Asking

    private func ask(_ domain: Origin) async throws(LogonError) -> (bytes: [UInt8], origin: Origin)? {
        let response: ConversationResponse
        do throws(ConversationError) {
            let target = try place(domain).targetURL().with(path: Self.path)
            let request = HTTPRequest(.get, target, fields: [.accept: "application/json"])
            response = try await manager.detachedContext(for: target).start(request) { [timeout] child in
                // A session without credentials: a certificate would identify the person.
                child.session = HttpSession()
                child.redirects = RedirectPolicy()
                child.redirects.maximumRedirects = Self.maximumRedirects
                child.networkTimeout = timeout
                child.maximumBufferedBytes = Self.maximumBytes
            }
        } catch {
            if error.code == .cancelled { throw .cancelled }
            throw Self.failure(domain, error.message, error)
        }
        let status = response.status.code
        if status == 404 || status == 410 { return nil }
        guard status == 200, response.headerFields[.contentType]?.mediaType == "application/json" else {
            throw Self.failure(domain, "it answers with the status \(status), and no document about its server")
        }
        return (response.bytes, response.url.origin)
    }

    private static func failure(
        _ domain: Origin, _ reason: String, _ cause: (any Error)? = nil
    ) -> LogonError {
        LogonError(
            .communicationManagerError,
            "The server for \(domain.host) was not found: \(reason). Its address can be entered by hand.",
            underlyingError: cause)
    }
}
