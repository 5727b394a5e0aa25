public import HTTPTypes
public import HttpConvPlatform

/// Observes conversations while they run, and takes part in a few decisions. Every method has a default that changes
/// nothing.
///
/// A manager has a delegate (``HttpConversationManager/Configuration/delegate``), and a conversation may have one (the
/// `delegate` of a verb). Both are called, the conversation's own first. It works with every form of call: awaiting,
/// completion handlers, or a handle.
///
/// ```swift
/// struct LargeToFile: ConversationDelegate {
///     func disposition(of response: ConversationResponse, expectedLength: Int?) async -> ResponseDisposition? {
///         expectedLength ?? .max > 1 << 20 ? .becomeDownload(into: sink) : nil
///     }
/// }
/// ```
/// A delegate sees the caller's own requests and redirects, the servers' challenges, and the final response. It does
/// not see the requests of flows, such as for logins and tokens.
///
/// - Note: Each method runs where its type says: an actor's on that actor, a `@MainActor` type's on the main actor, any
///   other on the global executor, never on a transport's thread. Calls for one conversation are sequential, and the
///   conversation waits for each. Parallel conversations call in parallel.
public protocol ConversationDelegate: Sendable {
    /// Decides what happens to the final response's body. Called once, before any of it is read.
    ///
    /// - Parameters:
    ///   - response: the response without its body
    ///   - expectedLength: the announced length in bytes; nil without one, or if a content coding hides it
    /// - Returns: nil for no decision: then the manager's delegate is asked, and finally it is
    ///   ``ResponseDisposition/allow``
    func disposition(of response: ConversationResponse, expectedLength: Int?) async -> ResponseDisposition?

    /// Receives a chunk of the final response's body, which goes to the caller once this returns. Until then no other
    /// chunk is read.
    func received(_ chunk: [UInt8], in context: ConversationContext) async

    /// Reports that a part of the caller's body was sent. If reports arrive faster than this returns, only the newest
    /// is delivered; the last one of each pass always is.
    func sent(_ progress: UploadProgress, in context: ConversationContext) async

    /// Asks for a body: an upload was started without one, or its one-shot stream was read and has to be sent again,
    /// such as after a login. Called before a person is asked for a password.
    ///
    /// - Returns: a stream of the same length; nil if the delegate has none, and then the conversation fails with
    ///   ``ConversationError/Code/bodyNotReplayable``
    /// - Throws: any error; it is the `underlyingError` of ``ConversationError/Code/bodyUnavailable``
    func newBodyStream(in context: ConversationContext) async throws -> RequestBodyStream?

    /// Reports that a request of the caller is about to be sent: the first, one after a redirect, or a repetition after
    /// a challenge or a login.
    ///
    /// - Parameter request: the request before credentials and cookies are added; its `context` is the conversation
    func willSend(_ request: ConversationRequest) async

    /// Reports that a response to such a request has arrived, final or not.
    ///
    /// - Parameters:
    ///   - response: the response's head
    ///   - request: as in ``willSend(_:)``
    func received(_ response: HTTPResponse, to request: ConversationRequest) async

    /// Reports that a server or a proxy asks for a login (401, 407), or a server for a client certificate. Also reports
    /// a server's own certificate, for each new connection, if a filter handles ``AuthenticationMethod/serverTrust``.
    /// Called before filters are asked; a TLS handshake waits for it, within the time limit for connecting. To answer
    /// the challenge, write a ``ChallengeFilter``.
    func challenged(by challenge: AuthenticationChallenge) async

    /// Whether to follow a redirect of the caller's request that filters and policies permit. Otherwise the 3xx is the
    /// final response. The conversation's delegate and the manager's both have to agree.
    func shouldFollow(_ redirect: Redirect) async -> Bool

    /// The request that follows a redirect, which may differ from the proposed one. It passes the checks of any
    /// redirect: https does not lead to http, ``RedirectPolicy/allows`` is asked, and another origin gets only the
    /// fields that ``CredentialPolicy`` permits. Credentials and cookies are added later, for its URL. The manager's
    /// delegate gets the request that the conversation's own returned. Default: the proposed one if
    /// ``shouldFollow(_:)`` agrees.
    ///
    /// - Returns: nil: the 3xx is the final response
    func request(_ proposed: ConversationRequest, following redirect: Redirect) async -> ConversationRequest?

    /// Reports that a download is complete, including one that began as a data transfer.
    ///
    /// - Parameters:
    ///   - response: the response, with no bytes in memory
    ///   - file: the file; nil for a sink that is not a file
    func downloaded(_ response: ConversationResponse, to file: URL?) async

    /// Reports the conversation's metrics, right before ``completed(_:in:)``.
    func collected(_ metrics: ConversationMetrics, in context: ConversationContext) async

    /// Reports the end of the conversation: the last call, once for each conversation that has begun. For a streamed
    /// response it comes when the body has ended, or was dropped.
    ///
    /// - Parameters:
    ///   - result: the caller's result; for streams and downloads with no bytes in memory
    ///   - context: the conversation's context
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
