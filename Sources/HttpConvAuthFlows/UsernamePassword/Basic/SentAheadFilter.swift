import HTTPTypes
import HttpConvFormats
import HttpConversation

/// Sends passwords before any challenge: each to its own origin, over https or to this machine, in every exchange
/// (security rules S7 and S11), and not by Basic once the origin has offered Digest (security rule S10).
///
/// ``CommonAuthenticationConfigurator`` adds it under ``FlowID/usernamePassword``. A caller's own `Authorization`
/// stays.
struct SentAheadFilter: RequestFilter {
    let passwords: [SentAheadPassword]
    var preparesRequests: Bool { false }

    func authorizeAtOnce(_ request: inout ConversationRequest, in context: ConversationContext) throws -> Bool {
        let origin = request.target.origin
        let password = passwords.first { $0.origin == origin }
        guard let password, !request.headerFields.contains(.authorization), context.sendsBasic(to: origin) else {
            context[SentAheadKey.self] = nil
            return true
        }
        request.headerFields.append(try HTTPField(.authorization, checking: password.authorization.value))
        context[SentAheadKey.self] = password
        return true
    }
}

/// The context key of the password that the last exchange carried before a challenge.
enum SentAheadKey: ConversationContextKey { typealias Value = SentAheadPassword }

extension SentAheadPassword {
    /// Whether a challenge means that this secret was refused.
    func isRefused(by challenge: AuthenticationChallenge, as octets: [UInt8]) -> Bool {
        challenge.method == .basic && challenge.proxy == nil && challenge.space.origin == origin
            && ConstantTime.isEqual(octets, self.octets.value)
    }
}

extension SentAheadFilter: CustomStringConvertible, CustomReflectable {
    /// The number of passwords.
    var description: String { "SentAheadFilter with \(passwords.count) passwords" }
    var customMirror: Mirror { Mirror(self, children: ["passwords": passwords.count]) }
}
