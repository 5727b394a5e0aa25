public import HTTPTypes
import HttpConvFormats
public import HttpConversation
import Synchronization

/// Fails a conversation that certainly gets a login which nothing configured handles: a login page must not pass for
/// the resource. Added after the filters of configured logins.
///
/// The `underlyingError` of the conversation's error is the ``RecognizedLogin``, which names what was seen and the
/// configuration that would log in there. Only HTML with a status of 2xx, 401 or 403 is looked at, its first 64 KiB;
/// all other answers pass at once. ``LoginRecognition`` has the rules.
public struct RecognizedLoginFilter: RedirectFilter, ResponseFilter {
    /// The id for configurations.
    public static let id = "HttpConvAuthFlows.RecognizedLogin"

    private let passesUnauthorized: Bool
    private let report: @Sendable (RecognizedLogin) -> Void

    /// Creates the filter.
    ///
    /// - Parameters:
    ///   - passesUnauthorized: whether a 401 is returned to the caller, as the answer to the caller's credentials
    ///   - report: called with each login that is only likely, whose page is returned to the caller
    public init(passesUnauthorized: Bool, reportingLikely report: @escaping @Sendable (RecognizedLogin) -> Void) {
        self.passesUnauthorized = passesUnauthorized
        self.report = report
    }

    public func concerns(_ redirect: Redirect) -> Bool {
        guard let destination = redirect.destination else { return false }
        return LoginRecognition.mayLead(redirect.response, to: destination)
            || redirect.context.memory(of: RedirectMemory.owner) != nil
    }

    public func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        guard concerns(redirect), let destination = redirect.destination, !context.isPartOfLogin else {
            return .follow
        }
        let login = RedirectMemory.update(in: context) {
            $0.recognize(redirect: redirect.response, from: redirect.source, to: destination)
        }
        if let login { throw login.asked(context.target).error }
        return .follow
    }

    public func concerns(_ head: HTTPResponse, in context: ConversationContext) -> Bool {
        PageHead(head).map(isOpen) ?? false
    }

    public func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        guard let page = PageHead(response.head), isOpen(page), !context.isPartOfLogin else {
            return .proceed
        }
        if let login = try await login(on: page, response, context)?.asked(context.target) {
            guard login.certainty == .likely else { throw login.error }
            report(login)
        }
        return .proceed
    }

    /// Whether a page may be anything but the answer to the caller's credentials.
    private func isOpen(_ page: PageHead) -> Bool { page.status != 401 || !passesUnauthorized }

    /// Looks at a page, and reads its body only if the head leaves something open.
    private func login(
        on page: PageHead, _ response: ReceivedResponse, _ context: ConversationContext
    ) async throws -> RecognizedLogin? {
        let redirects = RedirectMemory.recognition(in: context)
        if let login = redirects?.recognize(head: response.head, at: response.target) { return login }
        // An answer to the caller's own token is not a first demand.
        if page.status == 401, !response.request.headerFields.contains(.authorization),
            let login = LoginRecognition.recognize(challenge: response.head, at: response.target)
        {
            return login
        }
        if response.request.method != .head {
            let chunks = try await response.peekChunks(upTo: LoginRecognition.limit).chunks
            var redirected = redirects
            if redirected == nil, !response.target.isSamePage(as: context.target) {
                redirected = LoginRecognition(of: context.target, redirectedTo: response.target)
            }
            if LoginRecognition.mayHaveLogin(chunks, page) || LoginRecognition.mayBeScript(chunks, page)
                || redirected?.hasReached(namedLogin: response.target) == true
            {
                try HTMLPage.requireReader()
                let recognition = redirected ?? LoginRecognition(of: context.target)
                let body = Array(chunks.joined().prefix(LoginRecognition.limit))
                return recognition.recognize(parsing: body, of: response.head, at: response.target)
            }
        }
        return LoginRecognition.markedLogin(response.head, at: response.target)
    }
}

/// The redirects of a conversation that may be the beginning of a login.
private final class RedirectMemory: Sendable {
    /// Identifies the memory in a context.
    final class Owner: Sendable {}
    static let owner = Owner()

    private let recognition: Mutex<LoginRecognition>

    private init(_ recognition: LoginRecognition) { self.recognition = Mutex(recognition) }

    /// The state after the redirects so far; nil if none of them may lead to a login.
    static func recognition(in context: ConversationContext) -> LoginRecognition? {
        (context.memory(of: owner) as? RedirectMemory)?.recognition.withLock { $0 }
    }

    static func update<Result: Sendable>(
        in context: ConversationContext, _ change: (inout LoginRecognition) -> Result
    ) -> Result {
        if let memory = context.memory(of: owner) as? RedirectMemory {
            return memory.recognition.withLock { change(&$0) }
        }
        var recognition = LoginRecognition(of: context.target)
        defer { context.remember(RedirectMemory(recognition), of: owner) }
        return change(&recognition)
    }
}
