/// The names of the custom events with which flows report to observers
/// (``/HttpConversation/ConversationEvent/Kind/custom(_:)``).
public enum FlowEvent {
    /// The first success of a conversation with OAuth2 tokens; details: `support`, `storageURL`.
    public static let tokensSucceeded = "oauth2TokensSucceeded"
    /// Tokens are needed; details: `why`, which is `none` (nothing stored), `ended` or `refused`.
    public static let tokensNeeded = "oauth2TokensNeeded"
    /// A request to a token endpoint is about to be sent; details: `endpoint`, `grant`.
    public static let tokensAsked = "oauth2TokensAsked"
    /// New tokens arrived; details: `how`, which is `granted` or `refreshed`, and `lifetime` of the access token in
    /// seconds if the server gives it.
    public static let tokensObtained = "oauth2TokensObtained"
    /// The server no longer accepts a refresh token.
    public static let refreshRefused = "oauth2RefreshRefused"
    /// A login on web pages begins; details: `purpose`, `origin`, `strategy`.
    public static let webLoginStarted = "webLoginStarted"
    /// One of several places to show the login was chosen; details: `purpose`, `place`, and `by` as text for people,
    /// such as `in the terminal`.
    public static let webLoginShown = "webLoginShown"
    /// A login on web pages ended; details: those of its beginning, and `outcome`, which is `succeeded` or the reason.
    public static let webLoginFinished = "webLoginFinished"
    /// A password is sent over plain http to another machine; details: `space`.
    public static let passwordInTheClear = "passwordInTheClear"
    /// No provider was asked about a challenge; details: `space`, and `reason`, which is `otherServer` if no provider
    /// serves the server, or `plainHTTP` if Basic would expose the password on the way to a server that the caller did
    /// not name (security rule S7).
    public static let passwordWithheld = "passwordWithheld"
    /// A page in a browser requests a server that may get the client certificate, and the request is sent without it,
    /// or stopped; details: `origin`, and `reason` as text for people (security rule S7).
    public static let certificateWithheld = "certificateWithheld"
}
