#if !canImport(FoundationNetworking)
import Foundation
import HttpConvCertificates
import HttpConversation
import Security

/// What is answered in a TLS handshake, and what URLSession asks besides.
enum HandshakeChallenge {
    typealias Completion = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    static func answer(
        _ challenge: URLAuthenticationChallenge, of exchange: URLExchange?, _ completion: @escaping Completion
    ) {
        guard let exchange else { return completion(.cancelAuthenticationChallenge, nil) }
        let space = challenge.protectionSpace
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust:
            guard let policy = exchange.request.options.serverTrust, let trust = space.serverTrust,
                isServer(space, exchange)
            else { return completion(.performDefaultHandling, nil) }
            check(trust, policy, exchange, completion)
        case NSURLAuthenticationMethodClientCertificate:
            // A proxy is shown none.
            guard let source = exchange.request.options.clientIdentity, isServer(space, exchange) else {
                return completion(.performDefaultHandling, nil)
            }
            present(source, exchange, completion)
        default:
            // 401 and 407 are responses: conversations answer them, with what is theirs.
            completion(.performDefaultHandling, nil)
        }
    }

    private static func isServer(_ space: URLProtectionSpace, _ exchange: URLExchange) -> Bool {
        !space.isProxy() && space.host.lowercased() == exchange.request.origin.host
            && space.port == exchange.request.origin.port
    }

    // MARK: Server trust

    private static func check(
        _ trust: SecTrust, _ policy: ServerTrustPolicy, _ exchange: URLExchange, _ completion: @escaping Completion
    ) {
        let origin = exchange.request.origin
        // Evaluating may ask servers for certificates and revocations, and blocks. Nobody else uses it meanwhile.
        nonisolated(unsafe) let trust = trust
        DispatchQueue.global(qos: .userInitiated).async {
            let terms = policy.terms(for: origin)
            var found = TrustEvaluation(trust, authorities: terms.authorities).serverTrust
            if terms.accepts(found) { found = found.withoutProblems }
            let credential = URLCredential(trust: trust)
            let judged = found
            Task {
                do throws(ConversationError) {
                    try await policy.check(judged, of: origin)
                    completion(.useCredential, credential)
                } catch {
                    exchange.end(with: error)
                    completion(.cancelAuthenticationChallenge, nil)
                }
            }
        }
    }

    // MARK: Client certificates

    private static func present(
        _ source: ClientIdentitySource, _ exchange: URLExchange, _ completion: @escaping Completion
    ) {
        Task {
            do throws(ConversationError) {
                // Nil: the server is told that there is none.
                guard let identity = try await source.identity() else { return completion(.useCredential, nil) }
                let credential = try ImportedIdentity.credential(identity)
                completion(.useCredential, credential)
            } catch {
                exchange.end(with: error)
                completion(.cancelAuthenticationChallenge, nil)
            }
        }
    }
}
#endif
