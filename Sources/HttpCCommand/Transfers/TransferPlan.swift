import Foundation
import HttpC

/// The transfers of a command line, grouped by identity. Everything is checked before anything is sent.
struct TransferPlan: Sendable {
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

    /// - Parameter transcripts: the transcripts of every conversation
    init(
        _ typed: RequestCommand, _ transcripts: TranscriptFiles, _ diagnostics: Diagnostics
    ) async throws(CommandFailure) {
        var command = typed
        command.request.headers = try HeaderArgument.expanded(typed)
        var urls: [URLArgument] = []
        for text in command.urls { urls.append(try URLArgument(text)) }
        let targets = urls.map(\.target)
        let destinations = try TransferDestination.all(command.files, targets)
        for warning in TransferDestination.warnings(command.files, count: urls.count) { diagnostics.message(warning) }
        let payloads = try Self.payloads(command, count: urls.count)
        let netrc = try NetrcFile.load(command.login)
        let (shares, places) = try Self.shares(command, urls, netrc)
        if shares.count > 1, command.login.cookieJar != nil {
            throw CommandFailure(
                .usage, "-c keeps the cookies of one session: URLs of several users or profiles need a call each.")
        }
        var groups: [TransferGroup] = []
        let story = Story(
            level: command.output.verbose, isParallel: command.transfers.isParallel && urls.count > 1, diagnostics)
        var observers: [any ConversationObserver] = []
        if let story { observers.append(story) }
        if let observer = transcripts.observer { observers.append(observer) }
        for share in shares {
            let setup = try await RequestSetup(command, for: share.urls, share.profile, share.user, netrc, diagnostics)
            if let profile = setup.profile { story?.apply(profile: profile) }
            groups.append(TransferGroup(setup, observing: observers))
        }
        var transfers: [Transfer] = []
        for (index, target) in targets.enumerated() {
            let group = groups[places[index]]
            let destination = destinations[index]
            try ContinueOption.check(command, payloads[index], destination)
            let head = try RequestHead(command, payloads[index], group.setup.cookies.field)
            transfers.append(
                Transfer(
                    index: index, url: target, request: try head.request(for: target), body: payloads[index].body,
                    destination: destination, group: group))
        }
        self.groups = groups
        self.transfers = transfers
    }

    /// The body for each URL: a -T belongs to one URL, in order; data is for all.
    private static func payloads(
        _ command: RequestCommand, count: Int
    ) throws(CommandFailure) -> [RequestPayload] {
        let options = command.body
        let common = try RequestPayload(options)
        if options.uploads.count > count { throw CommandFailure(.usage, "There are more of -T than URLs.") }
        if count > 1, common.body?.isRestartable == false {
            throw CommandFailure(.usage, "What can be read once only, such as standard input, is for one URL.")
        }
        var payloads = try options.uploads.map { path throws(CommandFailure) in try RequestPayload(upload: path) }
        payloads += Array(repeating: common, count: count - payloads.count)
        return payloads
    }

    /// Groups the URLs by identity: those with the same profile and user.
    private static func shares(
        _ command: RequestCommand, _ urls: [URLArgument], _ netrc: NetrcFile?
    ) throws(CommandFailure) -> (shares: [Share], places: [Int]) {
        let file = try ConfigurationFile.load(command.login.config)
        var shares: [Share] = []
        var places: [Int] = []
        for url in urls {
            let profile = try ProfileChoice.choose(command.login.profile, for: url.target, from: file)
            let user = command.login.user.map { UserArgument($0) } ?? netrc?.user(of: url) ?? url.user
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
