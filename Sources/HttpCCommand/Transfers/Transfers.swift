import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvPlatform

/// The transfers of a plan, grouped by identity, in order or in parallel. Everything is checked before anything is
/// sent.
struct Transfers: Sendable {
    let transfers: [Transfer]
    /// The groups in the order of their first transfers.
    let groups: [TransferGroup]

    /// The URLs of one identity.
    private struct Share {
        var urls: [TargetURL]
        var profile: Profile?
        let user: UserArgument?
        let key: [String]
    }

    private let plan: RequestPlan
    let diagnostics: Diagnostics

    init(_ plan: RequestPlan, _ run: CommandRun) async throws(CommandFailure) {
        self.plan = plan
        diagnostics = run.diagnostics
        for warning in plan.warnings { diagnostics.notice(warning) }
        let (shares, places) = try Self.shares(plan)
        if shares.count > 1, plan.client.cookieJar != nil {
            throw CommandFailure(
                .usage, "-c keeps the cookies of one session: URLs of several users or profiles need a call each.")
        }
        if shares.count > 1, plan.client.cookies.contains("-") {
            throw CommandFailure(
                .usage,
                "Standard input can be read only once, and -b - is for URLs of several users or profiles: use a file.")
        }
        var groups: [TransferGroup] = []
        let story = Story(level: plan.client.verbose, isParallel: plan.isParallel && plan.urls.count > 1, diagnostics)
        let observers = [story as (any ConversationObserver)?, run.transcripts.observer].compactMap { $0 }
        let hostField = try HeaderArgument.host(plan.headers)
        for share in shares {
            let setup = try await RequestSetup(
                plan.client, for: share.urls, hostField: hostField, share.profile, share.user, diagnostics)
            if let profile = setup.profile { story?.apply(profile: profile) }
            groups.append(TransferGroup(setup, observing: observers))
        }
        var transfers: [Transfer] = []
        for (index, url) in plan.urls.enumerated() {
            let group = groups[places[index]]
            let (payload, destination) = (plan.payloads[index], plan.destinations[index])
            try ContinueOption.check(plan, payload, destination)
            let head = try RequestHead(plan, payload, group.setup.cookieField)
            let names = [RemoteName.of(url.target), destination.path].compactMap { $0 }
            transfers.append(
                Transfer(
                    index: index, url: url.target, request: try head.request(for: url.target), body: payload.body,
                    destination: destination,
                    keepsCoding: plan.keepsPackedFiles && names.contains(where: { PackedFile.isNamed($0) }),
                    group: group))
        }
        self.groups = groups
        self.transfers = transfers
        for warning in Set(groups.flatMap(\.setup.warnings)).sorted() { diagnostics.notice(warning) }
        PasswordHint.showOnce(plan, diagnostics)
    }

    /// Runs the transfers, and writes heads and sessions.
    func perform() async -> ExitStatus {
        let output = TransferOutput(diagnostics.progress)
        let runs = transfers.map { TransferRun($0, plan, diagnostics, output) }
        var statuses = await plan.isParallel ? parallel(runs) : inOrder(runs)
        diagnostics.progress?.finish(isComplete: statuses.allSatisfy { $0 == .success })
        // Earlier failures take precedence, and every file that can be written is.
        if let file = plan.headFile {
            statuses.append(await told { () async throws(CommandFailure) in try await output.writeHeads(to: file) })
        }
        statuses.append(await keep())
        return statuses.first { $0 != .success } ?? .success
    }

    /// Saves the sessions.
    func keep() async -> ExitStatus {
        var statuses: [ExitStatus] = []
        for group in groups {
            statuses.append(await told { () async throws(CommandFailure) in try await group.keep() })
        }
        return statuses.first { $0 != .success } ?? .success
    }

    private func told(_ work: () async throws(CommandFailure) -> Void) async -> ExitStatus {
        await diagnostics.telling {
            try await work()
            return .success
        }
    }

    /// Whether to stop. A Ctrl-C at a question is known before the work is cancelled.
    private var isOver: Bool { Task.isCancelled || Interruption.shared.status != nil }

    private func inOrder(_ runs: [TransferRun]) async -> [ExitStatus] {
        var statuses: [ExitStatus] = []
        for run in runs where !isOver { statuses.append(await run.run()) }
        return statuses
    }

    /// - Returns: the statuses in the order of the URLs
    private func parallel(_ runs: [TransferRun]) async -> [ExitStatus] {
        await withTaskGroup(of: (Int, ExitStatus).self) { group in
            var waiting = runs.enumerated().makeIterator()
            func start() {
                guard !isOver, let (index, run) = waiting.next() else { return }
                group.addTask { (index, await run.run()) }
            }
            for _ in 0..<plan.maximumParallel { start() }
            var statuses: [Int: ExitStatus] = [:]
            for await (index, status) in group {
                statuses[index] = status
                start()
            }
            return statuses.sorted { $0.key < $1.key }.map(\.value)
        }
    }

    /// Groups the URLs by identity: those with the same profile and user.
    private static func shares(
        _ plan: RequestPlan
    ) throws(CommandFailure) -> (shares: [Share], places: [Int]) {
        let file = try ConfigurationFile.load(plan.client.configuration)
        var shares: [Share] = []
        var places: [Int] = []
        for url in plan.urls {
            let profile = try ProfileChoice.choose(plan.client.profile, for: url.target, from: file)
            let user = plan.client.user ?? plan.client.netrc?.user(of: url) ?? url.user
            let source = user.map { $0.isFromNetrc ? "n" : "u" } ?? ""
            let key = [profile?.name ?? "", source, user?.name ?? "", user?.password?.value ?? ""]
            if let place = shares.firstIndex(where: { $0.key == key }) {
                shares[place].urls.append(url.target)
                // A profile without a match is for the typed origins.
                for match in profile?.match ?? [] where shares[place].profile?.match.contains(match) == false {
                    shares[place].profile?.match.append(match)
                }
                places.append(place)
            } else {
                places.append(shares.count)
                shares.append(Share(urls: [url.target], profile: profile, user: user, key: key))
            }
        }
        return (shares, places)
    }
}
