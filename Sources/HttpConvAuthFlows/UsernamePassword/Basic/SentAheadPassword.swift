import Foundation
package import HttpConversation

/// A user name and password that go to one server by Basic before it asks (RFC 7617 §2), for servers that never do.
package struct SentAheadPassword: Sendable {
    let login: UsernamePassword
    let origin: Origin
    /// As bytes: what a challenge tells to be refused already.
    let octets: Redacted<[UInt8]>
    let authorization: Redacted<String>

    /// - Throws: ``ConversationError/Code/invalidConfiguration`` where Basic cannot carry it or it could be read on the way
    package init(_ login: UsernamePassword, for origin: Origin) throws(ConversationError) {
        guard SecureEndpoint.isSecure(origin) else {
            throw ConversationError(
                .invalidConfiguration,
                "\(origin) is plain http on another machine: a password is sent ahead over https only, or to this machine."
            )
        }
        guard !login.username.contains(ascii: ":"), !login.username.hasControls, !login.password.value.hasControls
        else {
            throw ConversationError(
                .invalidConfiguration,
                "The user name contains a colon, or one of both a control character, which Basic cannot carry.")
        }
        let octets = BasicEncoding.unasked(login).octets(of: login)
        self.login = login
        self.origin = origin
        self.octets = Redacted(octets)
        authorization = Redacted("Basic " + Data(octets).base64EncodedString())
    }
}
