public import HTTPTypes
public import HttpConversation

/// How a background transfer has ended.
public enum BackgroundOutcome: Sendable {
    /// The server has answered; a download is in its file. An error status is an answer, too.
    case finished(HTTPResponse)
    /// The server wants to know who asks, and nobody can be asked in the background. Begin again in the foreground: that
    /// logs in, and the transfer may go to the background once more.
    case authenticationRequired(HTTPResponse?)
    /// There is no answer.
    case failed(ConversationError)

    /// Judges an answer: no filter sees it.
    ///
    /// - Parameters:
    ///   - asked: the URL of the request
    ///   - answered: the URL of the response, after the redirects that a background session follows by itself
    ///   - known: other origins whose answers are answers, such as that of a file store
    ///   - isChallenge: whether an answer is a login page or the like
    static func of(
        _ head: HTTPResponse, asked: TargetURL, answered: TargetURL, known: Set<Origin> = [],
        isChallenge: (HTTPResponse, TargetURL) -> Bool = { _, _ in false }
    ) -> BackgroundOutcome {
        // Where the server led elsewhere, it was most likely to an identity provider: what came is no answer to the request.
        let isElsewhere = asked.origin != answered.origin && !known.contains(answered.origin)
        let isAsked = head.status.code == 401 || head.status.code == 407 || isChallenge(head, answered)
        return isElsewhere || isAsked ? .authenticationRequired(head) : .finished(head)
    }
}
