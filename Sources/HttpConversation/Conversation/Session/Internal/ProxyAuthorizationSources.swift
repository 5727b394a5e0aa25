import HTTPTypes
import Synchronization

/// The authorization sources of one session, one for each credential. A tunnel that was opened with a credential then
/// serves exactly the exchanges that carry it (security rule S3).
final class ProxyAuthorizationSources: Sendable {
    /// A credential whose nonce may be replaced.
    private final class Holder: Sendable {
        private let state: Mutex<any Credential>

        init(_ credential: any Credential) { state = Mutex(credential) }

        var credential: any Credential {
            get { state.withLock { $0 } }
            set { state.withLock { $0 = newValue } }
        }
    }

    private struct Entry {
        let holder: Holder
        let source: ProxyAuthorizationSource
    }

    private let credentials: CredentialStore
    private let state = Mutex<[ProtectionSpace: [Entry]]>([:])
    /// The maximum number of secrets for one proxy; above it, the oldest source is dropped.
    private static let maximumCount = 8
    /// The maximum number of protection spaces, whose names proxies choose.
    private static let maximumSpaces = 256

    /// - Parameter credentials: records the credentials that proxies have accepted
    init(_ credentials: CredentialStore) { self.credentials = credentials }

    /// The source of a credential. The same secret has the same source, which uses the latest form of the credential.
    func source(for credential: any Credential, in space: ProtectionSpace) -> ProxyAuthorizationSource {
        state.withLock { state in
            if let known = state[space]?.first(where: { $0.holder.credential.hasSameSecret(as: credential) }) {
                known.holder.credential = credential
                return known.source
            }
            let holder = Holder(credential)
            let source = ProxyAuthorizationSource(accepted: { [credentials] response in
                holder.credential.received(response)
                credentials.tunnelMade(for: holder.credential, in: space)
            }) { origin in try await holder.credential.authorization(for: .tunnel(to: origin)) }
            if state[space] == nil, state.count >= Self.maximumSpaces { state.removeAll() }
            state[space, default: []].append(Entry(holder: holder, source: source))
            if state[space, default: []].count > Self.maximumCount { state[space]?.removeFirst() }
            return source
        }
    }

    func removeAll() { state.withLock { $0.removeAll() } }
}

extension ConversationRequest {
    /// The `CONNECT` request for a tunnel (RFC 9110 §9.3.6).
    fileprivate static func tunnel(to origin: Origin) throws -> ConversationRequest {
        var request = try ConversationRequest(method: .connect, target: origin.targetURL())
        request.targetForm = .authority
        return request
    }
}
