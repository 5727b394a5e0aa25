/// The names of the custom events by which flows tell observers what only they know
/// (``/HttpConversation/ConversationEvent/Kind/custom(_:)``).
public enum FlowEvent {
    /// The first response of a conversation that OAuth2 tokens brought about; details: `support`, `storageURL`.
    public static let tokensSucceeded = "oauth2TokensSucceeded"
    /// Tokens have to be got; details: `why`, `none` where there are none, `ended` or `refused`.
    public static let tokensNeeded = "oauth2TokensNeeded"
    /// A token endpoint is about to be asked; details: `endpoint`, `grant`.
    public static let tokensAsked = "oauth2TokensAsked"
    /// There are new tokens; details: `how`, `granted` or `refreshed`, and `lifetime` of the access token in seconds where the
    /// server says so.
    public static let tokensObtained = "oauth2TokensObtained"
    /// A refresh token is not accepted any more.
    public static let refreshRefused = "oauth2RefreshRefused"
    /// A login on web pages begins; details: `purpose`, `origin`, `strategy`.
    public static let webLoginStarted = "webLoginStarted"
    /// What shows it has been chosen among several; details: `purpose`, `place`, and `by` what for people, such as
    /// `in the terminal`.
    public static let webLoginShown = "webLoginShown"
    /// It has ended; details: those of its beginning, and `outcome`, `succeeded` or why not.
    public static let webLoginFinished = "webLoginFinished"
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
