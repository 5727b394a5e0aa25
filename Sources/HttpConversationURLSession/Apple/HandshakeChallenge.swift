#if !canImport(FoundationNetworking)
import Foundation
import HttpConvCertificates
import HttpConversation
import Security

/// Answers the challenges of TLS handshakes, and URLSession's other challenges.
enum HandshakeChallenge {
    typealias Completion = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    static func answer(
        _ challenge: URLAuthenticationChallenge, of exchange: URLExchange?, _ completion: @escaping Completion
    ) {
        guard let exchange else { return completion(.cancelAuthenticationChallenge, nil) }
        let space = challenge.protectionSpace
        do throws(ConversationError) {
            // Another exchange may have shown a certificate since this one was sent.
            let (source, origin) = (exchange.request.options.clientIdentity, exchange.request.origin)
            try ShownIdentities.shared.check(source, for: origin)
        } catch {
            return refuse(error, exchange, completion)
        }
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust:
            guard let policy = exchange.request.options.serverTrust, let trust = space.serverTrust,
                isServer(space, exchange)
            else { return completion(.performDefaultHandling, nil) }
            check(trust, policy, exchange, completion)
        case NSURLAuthenticationMethodClientCertificate:
            // A proxy is shown no certificate.
            guard let source = exchange.request.options.clientIdentity, isServer(space, exchange) else {
                return completion(.performDefaultHandling, nil)
            }
            present(source, exchange, completion)
        default:
            // 401 and 407 are responses: the conversation answers them.
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
        let credential = URLCredential(trust: trust)
        // URLSession waits for the answer, and does not use `trust` meanwhile.
        nonisolated(unsafe) let trust = trust
        Task {
            let terms = policy.terms(for: origin)
            let found = await TrustEvaluation.judge(trust, authorities: terms.authorities)
            do throws(ConversationError) {
                try await policy.check(terms.accepts(found) ? found.withoutProblems : found, of: origin)
                completion(.useCredential, credential)
            } catch {
                refuse(error, exchange, completion)
            }
        }
    }

    // MARK: Client certificates

    private static func present(
        _ source: ClientIdentitySource, _ exchange: URLExchange, _ completion: @escaping Completion
    ) {
        Task {
            do throws(ConversationError) {
                // Nil: the server gets no certificate.
                guard let identity = try await source.identity() else { return completion(.useCredential, nil) }
                let origin = exchange.request.origin
                guard ShownIdentities.shared.show(identity, of: source, to: origin) else {
                    throw ShownIdentities.refusal(origin)
                }
                let credential = try ImportedIdentity.credential(identity)
                completion(.useCredential, credential)
            } catch {
                refuse(error, exchange, completion)
            }
        }
    }

    private static func refuse(_ error: ConversationError, _ exchange: URLExchange, _ completion: Completion) {
        exchange.end(with: error)
        completion(.cancelAuthenticationChallenge, nil)
    }
}
#endif
