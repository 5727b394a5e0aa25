import HttpC
import HttpCClient
package import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform
import HttpConvSystem

/// The relays of one process in the background, in a file that only their owner can read: it has their secrets.
package struct RelayRecord: Sendable {
    /// A relay.
    package struct Entry: Codable, Equatable, Sendable {
        /// The URL that the relay stands for.
        package let target: String
        /// The URL with the secret, without a slash at its end, or the socket's path.
        package let local: String
    }

    private struct Content: Codable {
        let process: RelayProcess
        let machine: RelayMachine
        let entries: [Entry]
    }

    package let entries: [Entry]
    let process: RelayProcess
    private let path: String
    /// Whether the process may run on another machine, or in another container, that shares this directory. This
    /// process cannot find out whether it does.
    package let isElsewhere: Bool

    /// The number of the process.
    package var identifier: Int32 { process.identifier }

    /// The time that open requests get to finish.
    package static let grace = Duration.seconds(10)
    /// The time in seconds after which a process ends in any case.
    static let timeToEnd = 15.0
    /// A name that no profile can have.
    private static let folder = ".relays"
    private static let suffix = ".json"
    private static let longest = 64 << 10

    /// Writes the record of this process.
    static func write(
        _ entries: [Entry], on machine: RelayMachine? = .own,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> RelayRecord {
        guard let process = RelayProcess.own, let machine else {
            throw CommandFailure(
                .usage, "This system does not say when a process was started: run httpc relay without start, with &.")
        }
        guard let directory = try StateDirectory.open(profile: folder, creates: true, environment: environment)
        else {
            throw StateDirectory.failure(folder, "it is not there")
        }
        let path = "\(directory.path)/\(process.identifier).\(machine.label)\(suffix)"
        guard let content = try? JSONEncoder().encode(Content(process: process, machine: machine, entries: entries)),
            let draft = DraftFile(at: { "\(path).\(UInt32.random(in: .min ... .max))" })
        else { throw StateDirectory.failure(path, Posix.reason(errno)) }
        let code = SystemCalls.writeAll(draft.descriptor, Array(content))
        if code != 0 { draft.discard() }
        let placed = code == 0 ? draft.place(at: path) : code
        guard placed == 0 else { throw StateDirectory.failure(path, Posix.reason(placed)) }
        return RelayRecord(entries: entries, process: process, path: path, isElsewhere: false)
    }

    /// The records of the processes that run, in the order of their numbers, and those of other machines. Removes
    /// links, and the records of processes that have ended on this machine. An unreadable record of this machine stays
    /// while a process has its number.
    package static func all(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(CommandFailure) -> [RelayRecord] {
        guard let directory = try StateDirectory.open(profile: folder, creates: false, environment: environment),
            let machine = RelayMachine.own
        else { return [] }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []
        return names.filter { $0.hasSuffix(suffix) }
            .compactMap { record(named: $0, in: directory.path, of: machine) }
            .sorted { $0.identifier < $1.identifier }
    }

    /// The record in a file; nil, and the file is removed, if its process has ended.
    private static func record(named name: String, in directory: String, of machine: RelayMachine) -> RelayRecord? {
        let path = "\(directory)/\(name)"
        guard let content = content(at: path) else {
            removeUnreadable(name, at: path, of: machine)
            return nil
        }
        let isHere = content.machine == machine
        guard isHere ? content.process.isRunning : !content.machine.hasEnded(before: machine) else {
            unlink(path)
            return nil
        }
        return RelayRecord(entries: content.entries, process: content.process, path: path, isElsewhere: !isHere)
    }

    /// Removes a link, and the unreadable record of a process of this machine that has ended.
    private static func removeUnreadable(_ name: String, at path: String, of machine: RelayMachine) {
        // A name without a machine is of an earlier version.
        let isOurs = name.hasSuffix(".\(machine.label)\(suffix)") || name.count(where: { $0 == "." }) == 1
        let number = PeerNumber.integer(name.prefix(upToASCII: "."), in: 1...Int32.max)
        var status = stat()
        let isLink = lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
        if isLink || isOurs && number.flatMap({ RelayProcess($0) }) == nil { unlink(path) }
    }

    private static func content(at path: String) -> Content? {
        SystemCalls.read(file: path, atMost: longest, flags: O_NOFOLLOW | O_NONBLOCK).flatMap {
            try? JSONDecoder().decode(Content.self, from: Data($0))
        }
    }

    func remove() { unlink(path) }

    /// Whether the process has a relay for a URL, or at a local address.
    package func serves(_ word: String) -> Bool {
        let url = (try? URLArgument(word))?.target
        return entries.contains { entry in
            url.map { [entry.target, entry.target + "/"].contains("\($0)") || "\($0)/" == entry.target } == true
                || Self.isSame(word, url, entry.local)
        }
    }

    /// Whether a word is a relay's local URL, with or without its secret, or the path of its socket.
    private static func isSame(_ word: String, _ url: TargetURL?, _ local: String) -> Bool {
        guard let localURL = try? TargetURL(local) else {
            return local == word || local == URL(exactPath: word).path(percentEncoded: false)
        }
        guard let url, url.origin == localURL.origin else { return false }
        func segments(_ url: TargetURL) -> [Substring] { url.path.split(separator: "/") }
        return segments(url).isEmpty || segments(url) == segments(localURL)
    }

    /// Ends the process: its open requests have a time to finish.
    package func stop() async throws(CommandFailure) {
        guard !isElsewhere else {
            throw CommandFailure(
                .usage,
                "The relay of process \(identifier) was started on another machine or in another container: stop it there. If that is gone, remove \(TerminalText.sanitise(path))."
            )
        }
        process.send(SIGTERM)
        if await !process.hasEnded(within: Self.grace * 2) {
            if Task.isCancelled { return }
            process.send(SIGKILL)
            guard await process.hasEnded(within: .seconds(5)) else {
                throw CommandFailure(.fault, "The process \(identifier) does not end. End it by kill.")
            }
        }
        remove()
    }
}
