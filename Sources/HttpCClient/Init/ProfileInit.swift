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
        if case .unknown? = demand { return .loginFailed }
        let dialogue = InitDialogue(
            plan: plan, settings: settings, questions: questions, probe: probe, known: known,
            left: await Self.sessions(besides: known), diagnostics: run.diagnostics)
        guard var draft = try await dialogue.draft(demand) else { return .success }
        // A second factor shows only after the first one, and so does a second page.
        for _ in 0..<Self.maximumTrials {
            guard try await write(draft, edit, questions) else { return .success }
            switch try await tryOut(draft, edit, questions) {
            case .ended(let status): return status
            case .wants(let demand):
                say((demand.isOfAnswers ? "" : "after that login: ") + demand.words(target.origin))
                guard try await edit.remove(draft) else { return .loginFailed }
                try await dialogue.add(demand, to: &draft)
            }
        }
        return .loginFailed
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

    /// - Returns: false if the person wants nothing to be written
    private func write(
        _ draft: ProfileDraft, _ edit: ConfigurationEdit, _ questions: InitQuestions
    ) async throws(CommandFailure) -> Bool {
        run.diagnostics.line("")
        for line in draft.text.split(separator: "\n") { run.diagnostics.line("  \(line)") }
        run.diagnostics.line("")
        if questions.isAttended {
            guard try await questions.confirm("Append this to \(edit.shownPath)?", default: true) else {
                say("nothing was written.")
                return false
            }
        }
        try await edit.append(draft)
        say("the profile \"\(draft.name)\" is in \(edit.shownPath), which only you can read.")
        return true
    }

    // MARK: The first login

    private enum Trial {
        case ended(ExitStatus)
        case wants(LoginDemand)
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
        var demand: LoginDemand?
        do throws(CommandFailure) {
            let outcome = try await ProfileRequest(plan, profile, for: target, run).attempt { demand = $0 }
            let place = "\(outcome.url.origin) answered \(outcome.code)"
            say(
                outcome.logins.isEmpty
                    ? "\(place), without a login." : "\(place): logged in (\(outcome.logins.joined(separator: ", "))).")
            tellWhatIsNext(draft.name)
            return .ended(.success)
        } catch {
            guard Interruption.shared.status == nil else { throw error }
            if let demand, demand.isNew(to: profile), draft.isUnattended || !demand.isOfAnswers {
                return .wants(demand)
            }
            run.diagnostics.message(error.message, status: error.status)
            if try await questions.confirm("The login failed. Remove the profile again?", default: false),
                try await edit.remove(draft)
            {
                await Self.forgetSession(of: profile)
                say("the profile \"\(draft.name)\" is removed.")
            } else {
                say("the profile stays, to be corrected in \(edit.shownPath). Then: \(login)")
            }
            return .ended(error.status)
        }
    }

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
