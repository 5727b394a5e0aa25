public import Foundation
public import HTTPTypes

/// Looks into conversations while they run, and has a say in a few places. Every method has a default that changes
/// nothing.
///
/// Of a manager (``HttpConversationManager/Configuration/delegate``), of one conversation (the `delegate` of a verb), or
/// of both: then both are told, and the conversation's own is asked first. Whatever the caller does, awaiting, completion
/// handlers or a handle, goes on beside it.
///
/// ```swift
/// struct LargeToFile: ConversationDelegate {
///     func disposition(of response: ConversationResponse, expectedLength: Int?) async -> ResponseDisposition? {
///         expectedLength ?? .max > 1 << 20 ? .becomeDownload(into: sink) : nil
///     }
/// }
/// ```
/// A delegate is about what the caller asked for: its requests and redirects, what servers ask for with a challenge, the
/// final response. What flows send by themselves, such as logins and tokens, is not shown to it.
///
/// - Note: Each method runs where its type says: an actor's on that actor, a `@MainActor` type's on the main actor, any
///   other on the global executor, never on a transport's thread. Of one conversation they run one after the other, and
///   the conversation waits for each. Conversations in parallel call in parallel.
public protocol ConversationDelegate: Sendable {
    /// What is to become of the final response's body. Asked once, before any of it is read.
    ///
    /// - Parameters:
    ///   - response: without its body
    ///   - expectedLength: the announced length in bytes, where there is one and no content coding hides it
    /// - Returns: nil where the delegate has no opinion: the manager's is asked, and else it is
    ///   ``ResponseDisposition/allow``
    func disposition(of response: ConversationResponse, expectedLength: Int?) async -> ResponseDisposition?

    /// A piece of the final response's body has arrived, and goes to whoever asked for it once this returns. Until then
    /// no other is read.
    func received(_ chunk: [UInt8], in context: ConversationContext) async

    /// A part of the caller's body was sent. Where there is news faster than this returns, the newest counts; the last
    /// of each pass is told.
    func sent(_ progress: UploadProgress, in context: ConversationContext) async

    /// The body is needed, and there is none: an upload was started without one, or its one-shot stream was read and it
    /// has to be sent again, such as after a login. Asked before anybody is asked for a password.
    ///
    /// - Returns: as many bytes as before; nil where the delegate has none, and then the conversation fails with
    ///   ``ConversationError/Code/bodyNotReplayable``
    /// - Throws: any error; it is the `underlyingError` of ``ConversationError/Code/bodyUnavailable``
    func newBodyStream(in context: ConversationContext) async throws -> RequestBodyStream?

    /// A request of the caller's is about to be sent: the first, one after a redirect, or one more after a challenge or a
    /// login.
    ///
    /// - Parameter request: without the credentials and cookies that it gets; its `context` is the conversation
    func willSend(_ request: ConversationRequest) async

    /// An answer to such a request has arrived, the final one or not.
    ///
    /// - Parameters:
    ///   - response: its head
    ///   - request: as in ``willSend(_:)``
    func received(_ response: HTTPResponse, to request: ConversationRequest) async

    /// A server or a proxy asks for a login (401, 407), or a server for a client certificate. Told before filters are asked;
    /// to answer it, be a ``ChallengeFilter``.
    func challenged(by challenge: AuthenticationChallenge) async

    /// Whether to follow a redirect of the caller's request that filters and policies allow. Otherwise the 3xx is the final
    /// response. A delegate and the manager's both have to agree.
    func shouldFollow(_ redirect: Redirect) async -> Bool

    /// The request that follows a redirect, perhaps another one than the proposed. It passes the checks of any redirect:
    /// https does not lead to http, ``RedirectPolicy/allows`` is asked, and to another origin go only the fields that
    /// ``CredentialPolicy`` lets go. Credentials and cookies are added later, for its URL. The manager's delegate is given
    /// what the conversation's own returned. Default: the proposed one where ``shouldFollow(_:)`` agrees.
    ///
    /// - Returns: nil: the 3xx is the final response
    func request(_ proposed: ConversationRequest, following redirect: Redirect) async -> ConversationRequest?

    /// A download is complete, also one that began as a data transfer.
    ///
    /// - Parameters:
    ///   - response: with no bytes in memory
    ///   - file: where it is; nil where it went into a sink that is no file
    func downloaded(_ response: ConversationResponse, to file: URL?) async

    /// What the conversation took, right before ``completed(_:in:)``.
    func collected(_ metrics: ConversationMetrics, in context: ConversationContext) async

    /// The conversation is over: the last call, once for each conversation that has begun. Of a streamed response this is
    /// when its body has ended, or nobody reads it any more.
    ///
    /// - Parameters:
    ///   - result: what the caller gets; of streams and downloads with no bytes in memory
    ///   - context: of the conversation
    func completed(_ result: Result<ConversationResponse, ConversationError>, in context: ConversationContext) async
}

extension ConversationDelegate {
    public func disposition(of response: ConversationResponse, expectedLength: Int?) async -> ResponseDisposition? {
        nil
    }
    public func received(_ chunk: [UInt8], in context: ConversationContext) async {}
    public func sent(_ progress: UploadProgress, in context: ConversationContext) async {}
    public func newBodyStream(in context: ConversationContext) async throws -> RequestBodyStream? { nil }
    public func willSend(_ request: ConversationRequest) async {}
    public func received(_ response: HTTPResponse, to request: ConversationRequest) async {}
    public func challenged(by challenge: AuthenticationChallenge) async {}
    public func shouldFollow(_ redirect: Redirect) async -> Bool { true }
    public func request(
        _ proposed: ConversationRequest, following redirect: Redirect
    ) async -> ConversationRequest? {
        await shouldFollow(redirect) ? proposed : nil
    }
    public func collected(_ metrics: ConversationMetrics, in context: ConversationContext) async {}
    public func downloaded(_ response: ConversationResponse, to file: URL?) async {}
    public func completed(
        _ result: Result<ConversationResponse, ConversationError>, in context: ConversationContext
    ) async {}
}
