import HTTPTypes
import HttpConvAuthFlows
import HttpConvFormats
import HttpConversation

/// Loads the pages of a login and their resources, in child conversations of the one that needs the login: over its
/// transport, with its client certificates and its providers of passwords. The caller handles redirects.
struct LoginPageLoader: Sendable {
    let login: WebLogin
    let context: ConversationContext
    /// The largest body, in bytes.
    let limit: Int

    /// Loads a whole response.
    ///
    /// - Parameters:
    ///   - session: the session with the cookies
    ///   - isAnonymous: whether the server gets no password; such a session has no certificates
    /// - Throws: ``WebLoginError``, whose underlying error is the conversation's; also if the body exceeds the limit;
    ///   `CancellationError`
    func load(
        _ method: HTTPRequest.Method, _ target: TargetURL, fields: HTTPFields, body: RequestBody?,
        session: HttpSession, isAnonymous: Bool
    ) async throws -> ConversationResponse {
        do throws(ConversationError) {
            return try await context.start(HTTPRequest(method, target, fields: fields), body: body) {
                configure(&$0, session)
                if !isAnonymous { answerPasswords(&$0) }
            }
        } catch {
            throw try failure(error, at: target)
        }
    }

    /// The result of loading a page.
    enum Loaded: Sendable {
        /// A response, and the reason why its body is missing although it may be the resource's; nil if it is not missing.
        case response(ConversationResponse, WebLoginError?)
        /// Nothing in time, in answer to a GET.
        case nothing(WebLoginError)
    }

    /// Loads a response, and cuts its body at the limit.
    ///
    /// The end of a login may be a resource of any kind and size. If the login ends with a resource, only pages are
    /// read.
    ///
    /// - Parameters:
    ///   - session: the session with the cookies
    ///   - time: the time limit for the server
    /// - Throws: ``WebLoginError``, whose underlying error is the conversation's; `CancellationError`
    func loadStart(
        _ method: HTTPRequest.Method, _ target: TargetURL, fields: HTTPFields, body: RequestBody?,
        session: HttpSession, within time: Duration
    ) async throws -> Loaded {
        let stream: ConversationStream
        do throws(ConversationError) {
            stream = try await context.startStreaming(HTTPRequest(method, target, fields: fields), body: body) {
                configure(&$0, session)
                answerPasswords(&$0)
                $0.limitNetworkTime(to: time)
                if let trial = login.trial { $0.responseFilters.add(PagesOnly(trial: trial)) }
            }
        } catch {
            let failure = try failure(error, at: target)
            // With a challenge, the time was that of a question for a password.
            guard method == .get, error.code == .timedOut, error.challenge == nil else { throw failure }
            return .nothing(failure)
        }
        do throws(ConversationError) {
            var bytes: [UInt8] = []
            while bytes.count < limit, let chunk = try await stream.body.next() { bytes += chunk }
            stream.body.cancel()
            return .response(stream.response(with: Array(bytes.prefix(limit))), nil)
        } catch {
            let failure = try failure(error.inConversation(of: stream), at: target)
            // A resource may be slow, or have no end. A redirect leads to one at best.
            guard [.timedOut, .tooLarge].contains(error.code), stream.status.kind != .redirection,
                login.trial?.isCandidate(target.absoluteString) == true
            else { throw failure }
            return .response(stream.response(with: []), failure)
        }
    }

    private func failure(_ error: ConversationError, at target: TargetURL) throws -> WebLoginError {
        try Task.checkCancellation()
        if error.code == .cancelled { return WebLoginError(.cancelled, "The \(login) was cancelled.") }
        let page = target.origin == login.start.origin ? "of the \(login)" : "of \(target.origin) in the \(login)"
        return WebLoginError(
            .pageFailed, "A page \(page) could not be loaded. \(error.message)", underlyingError: error)
    }

    private func configure(_ child: inout HttpConversationManager.Configuration, _ session: HttpSession) {
        child.session = session
        child.redirects.follows = false
        child.maximumBufferedBytes = limit
        child.decompresses = true
    }

    /// Drops the body of a response that has nothing to show, and of one that may be the resource and asks for nothing.
    private struct PagesOnly: ResponseFilter {
        let trial: WebLoginTrial

        func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
            let mayBeResource =
                response.status.kind == .successful && trial.isCandidate(response.target.absoluteString)
            if try await mayBeResource ? isPage(response) : isText(response) { return .proceed }
            return .replace(ReplacementResponse(head: response.head, body: []))
        }

        private func isText(_ response: ReceivedResponse) -> Bool {
            guard let type = response.headerFields[.contentType]?.lowercased() else { return true }
            return type.hasPrefix("text/") || type.hasPrefix("application/xhtml+xml")
        }

        private func isPage(_ response: ReceivedResponse) async throws -> Bool {
            let fields = response.headerFields
            if HTMLPage.obstacle(to: [], fields: fields) == nil { return true }
            // Only without a type do the bytes tell.
            guard HTMLPage.obstacle(to: "<html>".utf8, fields: fields) == nil else { return false }
            return HTMLPage.obstacle(to: try await response.peek(upTo: 512), fields: fields) == nil
        }
    }

    /// Adds the parent's filter for user names and passwords, and no other, because others would start logins here.
    private func answerPasswords(_ child: inout HttpConversationManager.Configuration) {
        for filter in context.configuration.challengeFilters.all(of: UsernamePasswordFilter.self) {
            child.challengeFilters.add(filter)
        }
    }
}
