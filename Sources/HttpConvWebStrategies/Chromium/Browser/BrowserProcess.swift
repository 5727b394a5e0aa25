#if os(Linux)
import HttpConvAuthFlows
import HttpConvPlatform
import HttpConvSystem
import HttpConversation

/// A browser that is driven over its DevTools pipe, with its processes and its directory.
///
/// A shell watches the browser and deletes its directory, even if this process is killed: then the pipe closes, the
/// browser ends, and the shell cleans up.
final class BrowserProcess: Sendable {
    /// The connection that drives the browser.
    let connection: DevToolsConnection
    let profile: BrowserProfile
    private let process: SpawnedProcess

    /// The shell runs the browser in the background, so that it can close the pipe and survive signals to the group.
    private static let keeper = """
        "$@" &
        browser=$!
        trap '' HUP INT TERM
        exec 3<&- 4>&-
        wait "$browser"
        status=$?
        rm -rf -- "$0"
        exit "$status"
        """

    private init(connection: DevToolsConnection, profile: BrowserProfile, process: SpawnedProcess) {
        self.connection = connection
        self.profile = profile
        self.process = process
    }

    /// Starts a browser. It is ready when it answers the first command.
    ///
    /// - Throws: ``WebLoginError``; a failed start leaves nothing behind
    static func start(
        _ program: String, isHeadless: Bool, authorityPEM: String?, proxy: BrowserProxy = .none,
        kept: KeptConnections = KeptConnections(ConnectionPolicy()), environment own: [String: String]
    ) async throws -> BrowserProcess {
        let profile = try BrowserProfile()
        do {
            let environment = profile.environment(from: own)
            if let authorityPEM {
                try await BrowserTrust(authorityPEM: authorityPEM).install(in: profile, environment: environment)
            }
            // The browser uses its end as its two pipes.
            guard let pair = SocketPair() else {
                throw WebLoginError(
                    .browserFailed, "There is no pipe for the browser: \(String(cString: strerror(errno))).")
            }
            defer { pair.closeTheirs() }
            let arguments = BrowserArguments.make(
                profile: profile.profile, isHeadless: isHeadless, isRoot: geteuid() == 0, proxy: proxy, kept: kept)
            let process: SpawnedProcess
            do {
                process = try SpawnedProcess(
                    "/bin/sh", ["-c", keeper, profile.directory, program] + arguments, environment: environment,
                    socket: pair.theirs)
            } catch {
                pair.closeOurs()
                throw WebLoginError(.browserFailed, error.message)
            }
            do {
                let connection = try await DevToolsConnection.open(pair.ours)
                return BrowserProcess(connection: connection, profile: profile, process: process)
            } catch {
                process.signalGroup(SIGKILL)
                _ = await process.status
                throw error
            }
        } catch {
            profile.remove()
            throw error
        }
    }

    /// Ends the browser and its processes by force: a browser that closes by itself sends requests that it holds
    /// (security rule S14). Must not be called from a cancelled task.
    ///
    /// - Returns: the exit status if the browser has ended by itself, 128 + the number of the signal that ended it; nil
    ///   if this ended it
    @discardableResult
    func end() async -> Int32? {
        // A browser closes its pipe a moment before it ends.
        let isOver = connection.isClosedByBrowser ? await process.hasEnded(within: .seconds(2)) : false
        process.signalGroup(SIGKILL)
        let status = await process.status
        await endStragglers()
        // Last, because a browser that is still there would close by itself.
        await connection.close()
        profile.remove()
        return isOver ? status : nil
    }

    /// Ends the browser's remaining helpers in other process groups. They are found by the directory's name in their
    /// arguments. They would end by themselves a moment later.
    private func endStragglers() async {
        process.signalGroup(SIGKILL)
        for _ in 0..<200 {
            let left = Self.processes(naming: profile.directory)
            if left.isEmpty { return }
            for identifier in left { kill(identifier, SIGKILL) }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The processes with this unique text in their arguments. Dead processes have no arguments.
    static func processes(naming text: String) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { identifier in
            guard let line = FileManager.default.contents(atPath: "/proc/\(identifier)/cmdline") else { return false }
            return line.place(of: Data(text.utf8)) != nil
        }
    }
}
#endif
