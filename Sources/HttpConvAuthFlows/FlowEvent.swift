/// The names of the custom events by which flows tell observers what only they know
/// (``/HttpConversation/ConversationEvent/Kind/custom(_:)``).
public enum FlowEvent {
    /// The first response of a conversation that OAuth2 tokens brought about; details: `support`, `storageURL`.
    public static let tokensSucceeded = "oauth2TokensSucceeded"
    /// A password goes over plain http to another machine; details: `space`.
    public static let passwordInTheClear = "passwordInTheClear"
    /// Nobody was asked about a challenge; details: `space`, and as `reason` `otherServer` where no provider serves it,
    /// `plainHTTP` where Basic would show the password to everybody on the way to a server that the caller did not name
    /// (security rule S7).
    public static let passwordWithheld = "passwordWithheld"
    /// A page in a browser asks a server that may be shown the client certificate, and the request goes without, or not
    /// at all; details: `origin`, and as `reason` text for people (security rule S7).
    public static let certificateWithheld = "certificateWithheld"
}
