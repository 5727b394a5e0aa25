import HttpConvFormats
public import HttpConversation

/// A user name and password that one server gets by Basic before it asks (RFC 7617 §2), for servers that never ask.
///
/// Once the server has refused it (401), it is not sent ahead again for ten minutes: each attempt may bring the account
/// closer to being locked. A 401 that asks for other kinds of login only, such as Bearer, does not count. After an
/// acceptance, the second refusal in a row counts. Until it is accepted, requests at the same time wait for the first
/// one's answer.
public struct SentAheadPassword: Sendable {
    let origin: Origin
    let login: UsernamePassword
    /// User name and password as bytes, compared with a challenged exchange.
    let octets: Redacted<[UInt8]>
    let authorization: Redacted<String>

    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidConfiguration`` if Basic cannot carry it or it would
    ///   be exposed on the way
    public init(_ login: UsernamePassword, for origin: Origin) throws(ConversationError) {
        guard origin.isSecure else {
            throw ConversationError(
                .invalidConfiguration,
                "\(origin) is plain http on another machine: a password is sent ahead over https only, or to this machine."
            )
        }
        guard !login.username.contains(ascii: ":"), !login.username.hasControls, !login.password.value.hasControls
        else {
            throw ConversationError(
                .invalidConfiguration,
                "Basic cannot carry this login: the user name has a colon, or the user name or password has a control character."
            )
        }
        let octets = BasicEncoding.unasked(login).octets(of: login)
        self.origin = origin
        self.login = login
        self.octets = Redacted(octets)
        authorization = Redacted(BasicEncoding.field(of: octets))
    }
}
