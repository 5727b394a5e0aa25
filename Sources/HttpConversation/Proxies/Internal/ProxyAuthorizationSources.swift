import HTTPTypes
import Synchronization

/// The sources of one session that speak for its credentials at proxies: one for each, so that the tunnels which a
/// credential has opened serve all exchanges that carry it, and no others (security rule S3).
final class ProxyAuthorizationSources: Sendable {
    /// A credential whose nonce may be renewed.
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
    /// Secrets for one proxy: more than that take turns.
    private static let maximumCount = 8

    /// - Parameter credentials: learns what proxies have accepted
    init(_ credentials: CredentialStore) { self.credentials = credentials }

    /// The source of a credential: the same one for the same secret, which speaks with what was given last.
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
            state[space, default: []].append(Entry(holder: holder, source: source))
            if state[space, default: []].count > Self.maximumCount { state[space]?.removeFirst() }
            return source
        }
    }

    func removeAll() { state.withLock { $0.removeAll() } }
}

extension ConversationRequest {
    /// The request for a tunnel (RFC 9110 §9.3.6).
    fileprivate static func tunnel(to origin: Origin) throws -> ConversationRequest {
        var request = try ConversationRequest(method: .connect, target: origin.targetURL())
        request.targetForm = .authority
        return request
    }
}
