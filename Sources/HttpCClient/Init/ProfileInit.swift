package import HttpC
package import HttpCTerminal
import HttpConvPlatform

/// `httpc init`: finds out which login a URL demands, asks for what it cannot know, writes a profile and tries it.
package struct ProfileInit: Sendable {
    private let plan: ClientPlan
    private let settings: InitSettings
    private let run: CommandRun
    private let target: TargetURL

    /// - Parameter target: the URL to log in to
    package init(_ plan: ClientPlan, _ settings: InitSettings, for target: TargetURL, _ run: CommandRun) {
        self.plan = plan
        self.settings = settings
        self.target = target
        self.run = run
    }

    /// - Returns: the exit status of the login that was tried
    package func perform() async throws(CommandFailure) -> ExitStatus {
        let questions = try InitQuestions(isUnattended: settings.isUnattended)
        let edit = try ConfigurationEdit(plan.configuration)
        let known = try edit.profiles()
        if let profile = try? ProfileChoice.choose(nil, for: target, from: ConfigurationFile(profiles: known)) {
            say("the profile \"\(profile.name)\" already matches \(target), so the new one gets a longer match.")
        }
        let shown =
            plan.connection.certificate == nil ? "without any credentials" : "with the certificate of --cert only"
        say("asking \(target), \(shown) ...")
        let probe = try await ServerProbe(plan, target, run.diagnostics)
        let found = try await probe.find()
        let (demand, origin) = (found.demand, found.url.origin)
        say(demand?.words(origin) ?? "\(origin) answered \(found.status ?? 0) without asking for a login.")
        if demand != nil, origin != target.origin {
            guard try await isWanted(found.url, questions) else {
                say("nothing was written.")
                return .success
            }
            return try await ProfileInit(plan, settings, for: found.url, run).perform()
        }
        let dialogue = InitDialogue(
            plan: plan, settings: settings, questions: questions, probe: probe, known: known,
            left: await Self.sessions(besides: known), diagnostics: run.diagnostics)
        if case .unknown? = demand, found.refusal(by: target.origin) == nil || !dialogue.hasAnswers {
            return .loginFailed
        }
        guard let draft = try await dialogue.draft(found) else { return .success }
        return try await addTrying(draft, of: found, dialogue, edit, questions)
    }

    /// Writes the profile and tries its login, until it works or nothing more can be asked.
    private func addTrying(
        _ draft: ProfileDraft, of found: ServerProbe.Finding, _ dialogue: InitDialogue, _ edit: ConfigurationEdit,
        _ questions: InitQuestions
    ) async throws(CommandFailure) -> ExitStatus {
        var draft = draft
        // A second factor shows only after the first one, and so does a second page.
        var tried: Profile?
        for _ in 0..<Self.maximumTrials {
            guard let addition = try await write(draft, edit, questions) else {
                if let tried { await Self.forgetSession(of: tried) }
                return .success
            }
            switch try await tryOut(draft, edit, questions) {
            case .ended(let status): return status
            case .failed(let status, let profile, let isRefused):
                let question = "The login failed. Remove the profile again?"
                let isGone = try await questions.isAttended ? questions.confirm(question, default: false) : isRefused
                return try await end(status, profile, isGone, addition, edit)
            case .wants(let demand, let profile):
                say((demand.isOfAnswers ? "" : "after that login: ") + demand.words(target.origin))
                guard try await edit.remove(addition) else { return .loginFailed }
                tried = profile
                do throws(CommandFailure) { try await dialogue.add(demand, to: &draft) } catch {
                    await Self.forgetSession(of: profile)
                    throw error
                }
            case .unused(let place, let profile):
                say("\(place), and the login of the profile was not used: \(adviceOnUnused(found))")
                let question = "The login was not used. Remove the profile again?"
                let isGone = try await questions.isAttended ? questions.confirm(question, default: true) : true
                return try await end(.loginFailed, profile, isGone, addition, edit)
            case .needsBrowser(let profile):
                say("a terminal cannot show its login page, so it is tried in Chromium without a window.")
                guard try await edit.remove(addition) else { return .loginFailed }
                await Self.forgetSession(of: profile)
                draft.set("web", Profile.ViewerChoice.headless.rawValue)
                if questions.isAttended { draft.isUnattended = true }
            }
        }
        return .loginFailed
    }

    /// Advice for a server that did not ask for the login.
    private func adviceOnUnused(_ found: ServerProbe.Finding) -> String {
        let page = found.loginLink.map { ShellWords.word($0.absoluteString, limit: 1000) }
        let next = ProfileCommand.initialise(page ?? "URL", in: plan.configuration)
        if page != nil { return "its page links to a login, which this command tries: \(next)" }
        guard found.isMadeByScripts else { return "name the URL of a page that asks for it, with \(next)." }
        return
            "its page is made by scripts, so its login cannot be seen. Name a URL that redirects to a login page, or one of its API, with \(next).\(FailureAdvice.basicAhead(at: target.origin))"
    }

    /// Ends with a profile whose login was not shown to work. If it is removed, the file is as it was before.
    private func end(
        _ status: ExitStatus, _ profile: Profile, _ isGone: Bool, _ addition: ConfigurationEdit.Addition,
        _ edit: ConfigurationEdit
    ) async throws(CommandFailure) -> ExitStatus {
        if isGone, try await edit.remove(addition) {
            await Self.forgetSession(of: profile)
            say("the profile \"\(profile.name)\" is removed.")
        } else {
            let login = ProfileCommand.line("login", of: profile.name, in: plan.configuration)
            say(
                "the profile stays. Set what it lacks, such as a variable, or correct it in \(edit.shownPath). Then, instead of init: \(login)"
            )
        }
        return status
    }

    private static let maximumTrials = 6

    /// The names of profiles that have a session here, and are not in the file. Without a name of its own, a new
    /// profile would use their sessions.
    private static func sessions(besides known: [Profile]) async -> Set<String> {
        var names: Set<String> = []
        for name in StateDirectory.profiles() where !known.contains(where: { $0.name == name }) {
            // State that cannot be read may have a session.
            if (try? await ProfileStatus.hasSession(name)) != false { names.insert(name) }
        }
        return names
    }

    /// Whether the profile is to be for the server to which the URL leads (security rule S33).
    private func isWanted(_ url: TargetURL, _ questions: InitQuestions) async throws(CommandFailure) -> Bool {
        let words = "\(target.origin) leads to \(url.origin)"
        guard !target.origin.covers(url.origin) else {
            say("\(words), and the profile is for that.")
            return true
        }
        guard questions.isAttended else {
            throw CommandFailure(
                .usage,
                "\(words), another server. If you log in there, run: \(ProfileCommand.initialise(ShellWords.url(url), in: plan.configuration))"
            )
        }
        return try await questions.confirm("\(words), another server. Make a profile for that one?")
    }

    /// - Returns: what the file has got; nil if the person wants nothing to be written
    private func write(
        _ draft: ProfileDraft, _ edit: ConfigurationEdit, _ questions: InitQuestions
    ) async throws(CommandFailure) -> ConfigurationEdit.Addition? {
        run.diagnostics.line("")
        for line in draft.text.split(separator: "\n") { run.diagnostics.line("  \(line)") }
        run.diagnostics.line("")
        if questions.isAttended {
            guard try await questions.confirm("Append this to \(edit.shownPath)?", default: true) else {
                say("nothing was written.")
                return nil
            }
        }
        let addition = try await edit.append(draft)
        say("the profile \"\(draft.name)\" is in \(edit.shownPath), which only you can read.")
        return addition
    }

    // MARK: The first login

    private enum Trial {
        case ended(ExitStatus)
        /// The login failed at the server, or could not be tried here.
        case failed(ExitStatus, Profile, isRefused: Bool)
        case wants(LoginDemand, Profile)
        /// The server answered, and no login took place. With the beginning of a sentence about it.
        case unused(String, Profile)
        case needsBrowser(Profile)
    }

    private func tryOut(
        _ draft: ProfileDraft, _ edit: ConfigurationEdit, _ questions: InitQuestions
    ) async throws(CommandFailure) -> Trial {
        guard let profile = try edit.profiles().first(where: { $0.name == draft.name }) else { return .ended(.fault) }
        let login = ProfileCommand.line("login", of: draft.name, in: plan.configuration)
        for secret in [profile.basic?.password, profile.oauth2?.clientSecret] {
            guard let place = secret?.words(), let problem = place.problem else { continue }
            say("not tried, because a secret is missing here (\(place.text): \(problem)). Then run: \(login)")
            return .ended(.success)
        }
        var plan = plan
        plan.configuration = edit.path
        plan.web.isUnattended = draft.isUnattended
        say("trying it ...")
        var (demand, failure): (LoginDemand?, ConversationError?)
        do throws(CommandFailure) {
            let outcome = try await ProfileRequest(plan, profile, for: target, run)
                .attempt({ demand = $0 }, failed: { failure = $0 })
            let place = "\(outcome.url.originInMessages) answered \(outcome.code)"
            if outcome.logins.isEmpty, profile.hasWebLogin || profile.basic != nil { return .unused(place, profile) }
            say(
                outcome.logins.isEmpty
                    ? "\(place), without a login." : "\(place): logged in (\(outcome.logins.joined(separator: ", "))).")
            if outcome.code < 400 {
                tellWhatIsNext(draft.name)
            } else {
                say(
                    outcome.logins.isEmpty
                        ? "this URL answers with an error, so it does not show whether the login works."
                        : "the login works, but this URL answers with an error: use the profile for another one.")
            }
            return .ended(.success)
        } catch {
            guard Interruption.shared.status == nil else { throw error }
            if let demand, demand.isNew(to: profile), draft.isUnattended || !demand.isOfAnswers {
                return .wants(demand, profile)
            }
            let page = failure?.underlyingError as? WebLoginError
            if page?.code == .unsupportedPage, profile.viewer != .headless, plan.web.kind == nil,
                !plan.web.isHeadless, draft.isUnattended || draft.hasKeys(in: "answers"),
                LoginPageViewer.Surroundings.hasBrowser
            {
                return .needsBrowser(profile)
            }
            run.diagnostics.message(error.message, status: error.status)
            if page?.code == .missingAnswer, !questions.isAttended {
                say(
                    "\(ProfileCommand.initialise(ShellWords.url(target), in: plan.configuration)) takes these options, "
                        + "or -u USER --password-env VAR for a form that has one field for each.")
            }
            // A missing ticket may be there for the next run.
            let isRefused =
                error.status == .loginFailed && profile.kerberos == nil && failure.map { !Self.isOwn($0) } == true
            return .failed(error.status, profile, isRefused: isRefused)
        }
    }

    /// Whether the error is about this machine, the connection or the person, and not a server's refusal: such as a
    /// secret that cannot be read, or a window that cannot be opened.
    private static func isOwn(_ error: ConversationError) -> Bool {
        var cause = error.underlyingError
        while let next = cause {
            switch next {
            case let error as ConversationError:
                if Self.outages.contains(error.code) { return true }
                cause = error.underlyingError
            case let error as WebLoginError:
                let own: [WebLoginError.Code] = [.cancelled, .timedOut, .noStrategy, .noWindow, .browserFailed]
                if own.contains(error.code) { return true }
                cause = error.underlyingError
            case let error as OAuth2Error:
                if error.isTemporary || error.code == .cancelled || error.code == .noWebStrategy { return true }
                cause = error.underlyingError
            default: return next is CommandFailure
            }
        }
        return false
    }

    /// The errors of connections, which say nothing about a login.
    private static let outages: Set<ConversationError.Code> = [
        .hostNotResolved, .connectionFailed, .tlsFailed, .proxyNotResolved, .proxyRefused, .timedOut, .emptyResponse,
        .sendFailed, .receiveFailed, .cancelled,
    ]

    /// Removes the state that a failed login has left, so that the name is free again.
    private static func forgetSession(of profile: Profile) async {
        try? await ProfileCookies.clear(of: profile.name)
        _ = try? await ProfileSingleSignOn.forget(of: profile)
        try? await ProfileState(profile: profile.name).existingTokens()?.removeAllTokens()
    }

    private func tellWhatIsNext(_ name: String) {
        let program = ProfileCommand.program(plan.configuration)
        run.diagnostics.line("")
        run.diagnostics.line("From now on:")
        run.diagnostics.line("  \(program) \(ShellWords.url(target))")
        run.diagnostics.line("  \(program) status --profile \(name)    \(program) logout --profile \(name)")
    }

    private func say(_ text: String) { run.diagnostics.message(text) }
}
