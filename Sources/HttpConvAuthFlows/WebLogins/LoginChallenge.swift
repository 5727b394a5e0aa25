import HTTPTypes
import HttpConversation

/// The description of a login's challenges, by which a filter recognises them, and a trial their absence.
protocol LoginChallenge: Sendable {
    /// Whether a redirect is a challenge.
    func isChallenge(_ redirect: Redirect) -> Bool
    /// Whether a response is a challenge. Reads a bounded part of its body, which the answer to a HEAD does not have.
    func isChallenge(_ response: ReceivedResponse) async throws -> Bool
    /// Whether the body of a response with this head is read.
    func readsBody(of head: HTTPResponse) -> Bool
    /// Whether each challenge is a redirect, so that a page at the resource's URL is the resource. Default: false.
    var isAlwaysRedirect: Bool { get }
}

extension LoginChallenge {
    var isAlwaysRedirect: Bool { false }

    /// Whether a conversation's response is a challenge. The answer to a HEAD may stand for a page, which a GET of the
    /// same URL shows.
    func isChallenge(_ response: ReceivedResponse, in context: ConversationContext) async throws -> Bool {
        if try await isChallenge(response) { return true }
        guard let isChallenge = try await isChallengeToGET(response, in: context) else { return false }
        // The GET may have had the cookies of a login that ended meanwhile. Then the HEAD is repeated with them, and no
        // other login runs.
        return isChallenge || context.session.cookies.lastHandOver(for: response.target) > response.cookieEpoch
    }

    /// Sends a GET for the page that the answer to a HEAD may stand for, and returns whether it is challenged; nil, and
    /// nothing is sent, if the answer cannot stand for a page.
    func isChallengeToGET(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> Bool? {
        guard response.request.method == .head, readsBody(of: Self.likelyHead(response.head)),
            let page = PendingRequest(pageOf: response, in: context)
        else { return nil }
        await response.finish()
        return try await page.isChallenged(recognising: self, in: context)
    }

    /// The head with the media type of a page if it has none: a server may leave the type out of the answer to a HEAD
    /// (RFC 9110 §9.3.2).
    private static func likelyHead(_ head: HTTPResponse) -> HTTPResponse {
        guard head.status.kind == .successful, head.status != .noContent,
            !head.headerFields.contains(.contentType)
        else { return head }
        var head = head
        head.headerFields[.contentType] = "text/html"
        return head
    }
}
