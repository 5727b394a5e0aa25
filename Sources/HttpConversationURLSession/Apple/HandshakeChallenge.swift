#if !canImport(FoundationNetworking)
import Foundation
import HttpConvCertificates
import HttpConversation
import Security

/// Answers the challenges of TLS handshakes, and URLSession's other challenges: asks ``HandshakeDecision``.
enum HandshakeChallenge {
    typealias Completion = @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void

    static func answer(
        _ challenge: URLAuthenticationChallenge, of exchange: URLExchange?, in session: URLSession,
        _ completion: @escaping Completion
    ) {
        guard let exchange else { return completion(.cancelAuthenticationChallenge, nil) }
        let space = challenge.protectionSpace
        // URLSession waits for the answer, and does not use it meanwhile.
        nonisolated(unsafe) let trust = space.serverTrust
        let credential = trust.map { URLCredential(trust: $0) }
        let question = question(of: space)
        let decision = HandshakeDecision(
            options: exchange.request.options, origin: exchange.request.origin,
            hasNamedProxies: hasNamedProxies(session))
        Task {
            let answer = await decision.answer(question) { authorities in
                guard let trust else { return ServerTrust(certificates: [], summary: nil, problems: [.invalid]) }
                return await TrustEvaluation.judge(trust, authorities: authorities)
            }
            do throws(ConversationError) {
                switch answer {
                case .byDefault: completion(.performDefaultHandling, nil)
                case .trusted: completion(.useCredential, credential)
                case .rejected: completion(.rejectProtectionSpace, nil)
                case .noIdentity: completion(.useCredential, nil)
                case .identity(let identity): completion(.useCredential, try ImportedIdentity.credential(identity))
                case .refused(let error): throw error
                }
            } catch {
                exchange.end(with: error)
                completion(.cancelAuthenticationChallenge, nil)
            }
        }
    }

    /// Answers a challenge of a background session, whose connections the system makes.
    static func answerInBackground(
        _ challenge: URLAuthenticationChallenge, in session: URLSession, _ completion: Completion
    ) {
        let question = question(of: challenge.protectionSpace)
        switch HandshakeDecision.bySystem(question, hasNamedProxies: hasNamedProxies(session)) {
        case .noIdentity: completion(.useCredential, nil)
        case .rejected: completion(.rejectProtectionSpace, nil)
        default: completion(.performDefaultHandling, nil)
        }
    }

    private static func question(of space: URLProtectionSpace) -> HandshakeDecision.Question {
        HandshakeDecision.Question(
            method: method(of: space), host: space.host, port: space.port, isProxy: space.isProxy())
    }

    private static func hasNamedProxies(_ session: URLSession) -> Bool {
        session.configuration.connectionProxyDictionary?.isEmpty == false
    }

    private static func method(of space: URLProtectionSpace) -> HandshakeDecision.Question.Method {
        switch space.authenticationMethod {
        case NSURLAuthenticationMethodServerTrust: .serverTrust
        case NSURLAuthenticationMethodClientCertificate: .clientCertificate
        case NSURLAuthenticationMethodNegotiate, NSURLAuthenticationMethodNTLM: .ticket
        default: .other
        }
    }
}
#endif
