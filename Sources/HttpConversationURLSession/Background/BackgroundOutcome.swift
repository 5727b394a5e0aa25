public import HTTPTypes
public import HttpConversation

/// How a background transfer has ended.
public enum BackgroundOutcome: Sendable {
    /// The server has answered. A download is in its file where the status is a success (2xx). An error status is an
    /// answer, too: then nothing was written, and what was there stays.
    case finished(HTTPResponse)
    /// The server wants to know who asks, and nobody can be asked in the background. Begin again in the foreground: that
    /// logs in, and the transfer may go to the background once more.
    case authenticationRequired(HTTPResponse?)
    /// There is no answer.
    case failed(ConversationError)

    /// Whether a download goes into its file: an error page never takes a good file's place.
    var isForTheFile: Bool {
        if case .finished(let head) = self { head.status.kind == .successful } else { false }
    }

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
