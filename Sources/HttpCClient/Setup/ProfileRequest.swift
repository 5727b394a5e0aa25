package import HttpC
package import HttpCTerminal
import Synchronization

/// One request with all logins of a profile. The body of the answer is dropped.
package struct ProfileRequest: Sendable {
    /// The answer, and the logins that led to it.
    package struct Outcome: Sendable {
        /// The URL of the final answer, after redirects.
        package let url: TargetURL
        package let code: Int
        /// The logins that took place, in words for people. Empty if stored cookies or tokens were enough, or if the
        /// server asked for none.
        package let logins: [String]
    }

    private let setup: RequestSetup
    private let url: TargetURL
    private let request: HTTPRequest
    private let observers: [any ConversationObserver]
    private let logins = ObservedLogins()

    /// Checks everything before anything is sent.
    ///
    /// - Parameter target: the URL to ask; nil for the first one of the profile's match
    package init(
        _ plan: ClientPlan, _ profile: Profile, for target: TargetURL?, _ run: CommandRun
    ) async throws(CommandFailure) {
        guard let url = target ?? profile.firstURL else {
            throw CommandFailure(
                .usage,
                "The profile \"\(profile.name)\" has no match: name a URL, or add match to [profiles.\(profile.name)].")
        }
        guard profile.match.contains(where: { $0.matches(url) }) else {
            throw CommandFailure(.usage, "\(url) is outside the match of the profile \"\(profile.name)\".")
        }
        var fields = HTTPFields()
        fields[.userAgent] = plan.userAgent
        fields[.accept] = "*/*"
        self.url = url
        request = HTTPRequest(.get, url, fields: fields)
        setup = try await RequestSetup(plan, for: [url], hostField: nil, profile, nil, run.diagnostics)
        for warning in setup.warnings { run.diagnostics.message(warning) }
        let story = Story(level: plan.verbose, run.diagnostics)
        story?.apply(profile: profile.name)
        observers = [logins, story as (any ConversationObserver)?, run.transcripts.observer].compactMap { $0 }
    }

    /// Sends the request, and saves the session even if it failed, as any request does.
    ///
    /// - Throws: a failure if the login fails, or if the server wants another one
    package func perform() async throws(CommandFailure) -> Outcome {
        try await attempt({ _ in }, failed: { _ in })
    }

    /// - Parameters:
    ///   - demand: called with the login that the server demands, before the failure is thrown
    ///   - failed: called with the reason of the failure, before it is thrown
    func attempt(
        _ demand: (LoginDemand) -> Void, failed: (ConversationError) -> Void
    ) async throws(CommandFailure) -> Outcome {
        let outcome: Outcome
        do throws(CommandFailure) { outcome = try await ask(demand, failed) } catch {
            try? await setup.save()
            throw error
        }
        try await setup.save()
        return outcome
    }

    private func ask(
        _ tell: (LoginDemand) -> Void, _ failed: (ConversationError) -> Void
    ) async throws(CommandFailure) -> Outcome {
        do throws(ConversationError) {
            let stream = try await setup.open(request, observing: observers)
            stream.body.cancel()
            // The profile's logins are not for another server.
            if url.origin.covers(stream.url.origin), let demand = LoginDemand(stream.head) { tell(demand) }
            return try outcome(of: stream)
        } catch {
            failed(error)
            if let demand = LoginDemand(error, of: url) { tell(demand) }
            throw CommandFailure(error, of: setup)
        }
    }

    private func outcome(of stream: ConversationStream) throws(ConversationError) -> Outcome {
        let code = stream.status.code
        if code == 401 {
            throw ConversationError(.authenticationFailed, setup.explain(stream.head, from: stream.url))
        }
        try setup.requireNoProxyLogin(stream)
        return Outcome(url: stream.url, code: code, logins: logins.words)
    }
}

extension RequestSetup {
    /// Sends a request. If its server is not trusted, the person is asked once about each server's key.
    ///
    /// - Parameter adjust: changes the configuration of the request's manager
    func open(
        _ request: HTTPRequest, observing observers: [any ConversationObserver] = [],
        _ adjust: (inout HttpConversationManager.Configuration) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationStream {
        var accepted: [String: String] = [:]
        while true {
            let manager = manager(observing: observers, accepting: accepted)
            manager.update(adjust)
            do throws(ConversationError) { return try await manager.bytes(for: request) } catch {
                guard let origin = (error.underlyingError as? ServerTrustError)?.origin.description,
                    accepted[origin] == nil, let pin = await TrustPrompt.accepted(error, self)
                else { throw error }
                accepted[origin] = pin
            }
        }
    }
}

/// The logins that took place during a request.
private final class ObservedLogins: ConversationObserver {
    private let seen = Mutex<[String]>([])

    var words: [String] { seen.withLock { $0 } }

    func observe(_ event: ConversationEvent) {
        switch event.kind {
        case .login(.passwordGiven): add("password")
        case .login(.tokensObtained): add("access token")
        case .login(.ticketGiven): add("Kerberos ticket")
        case .login(.webLoginFinished(let purpose, _, _, .succeeded)): add("\(purpose)")
        case .clientCertificateUsed(let use) where use.verdict == .present: add("client certificate")
        default: return
        }
    }

    private func add(_ word: String) { seen.withLock { if !$0.contains(word) { $0.append(word) } } }
}
