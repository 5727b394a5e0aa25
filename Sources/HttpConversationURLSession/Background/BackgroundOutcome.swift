public import HTTPTypes
import HttpConvFiles
public import HttpConversation

/// The result of a background transfer.
public enum BackgroundOutcome: Sendable {
    /// The server has answered. With a successful status (2xx), a download is in its file. An error status is an answer
    /// too: then nothing was written, and an existing file stays.
    case finished(HTTPResponse)
    /// The server demands a login, and no person can be asked in the background. Begin again in the foreground, which
    /// logs in; then the transfer may go to the background again.
    case authenticationRequired(HTTPResponse?)
    /// There was no answer.
    case failed(ConversationError)

    /// Whether a download is written to its file: an error page never replaces a good file.
    var isForTheFile: Bool {
        if case .finished(let head) = self { head.status.kind == .successful } else { false }
    }

    /// Whether the answer to a request for the whole has brought all of a file. The system itself asks for the rest of a
    /// download that it resumes; then the part reaches to the file's end (RFC 9110 §14.4).
    ///
    /// - Parameter size: the number of bytes of the file
    func isWhole(size: Int) -> Bool {
        guard case .finished(let head) = self, head.status == .partialContent else { return true }
        guard case .part(_, let last, let total)? = ContentRange(of: head.headerFields) else { return false }
        return last == size - 1 && total ?? size == size
    }

    /// Judges an answer, because no filter sees it.
    ///
    /// - Parameters:
    ///   - asked: the URL of the request
    ///   - answered: the URL of the response, after the redirects that a background session follows by itself
    ///   - known: other origins that may answer, such as a file store's
    ///   - isChallenge: whether an answer is a login page or another challenge
    static func of(
        _ head: HTTPResponse, asked: TargetURL, answered: TargetURL, known: Set<Origin> = [],
        isChallenge: (HTTPResponse, TargetURL) -> Bool = { _, _ in false }
    ) -> BackgroundOutcome {
        // A redirect to an unknown origin most likely led to an identity provider, so the answer is not one to the
        // request.
        let isElsewhere = asked.origin != answered.origin && !known.contains(answered.origin)
        let isAsked = head.status.code == 401 || head.status.code == 407 || isChallenge(head, answered)
        return isElsewhere || isAsked ? .authenticationRequired(head) : .finished(head)
    }
}
