#if os(Linux)
import Foundation
import HttpConvAuthFlows
import HttpConversation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A browser that is driven over its DevTools pipe, and everything that has to go with it.
///
/// A shell stands over the browser and deletes its directory, also where this process is killed: the pipe closes, the
/// browser ends, the shell tidies up.
final class BrowserProcess: Sendable {
    /// What the browser is driven by.
    let connection: DevToolsConnection
    let profile: BrowserProfile
    private let process: SpawnedProcess

    /// The browser runs beside the shell, so that the shell can let go of the pipe and see signals to the group out.
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

    /// Starts a browser. It is there when the first command is answered.
    ///
    /// - Throws: ``WebLoginError``; nothing is left of a start that failed
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
            let pair = try SocketPair()
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
                throw error
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

    /// Ends the browser and everything of it: politely, then by force. Not to be called from a cancelled task.
    ///
    /// - Returns: the exit status; 128 + the number of the signal that ended it
    @discardableResult
    func end() async -> Int32 {
        connection.send("Browser.close")
        if await !process.hasEnded(within: .seconds(2)) {
            process.signalGroup(SIGTERM)
            if await !process.hasEnded(within: .seconds(1)) { process.signalGroup(SIGKILL) }
        }
        let status = await process.status
        await connection.close()
        await endStragglers()
        profile.remove()
        return status
    }

    /// What the browser left behind: helpers in other process groups, which have the directory's name in their
    /// arguments. They end by themselves a moment later; nobody waits for that.
    private func endStragglers() async {
        process.signalGroup(SIGKILL)
        for _ in 0..<200 {
            let left = Self.processes(naming: profile.directory)
            if left.isEmpty { return }
            for identifier in left { kill(identifier, SIGKILL) }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The processes with this text, which is unique, in their arguments. The dead have none.
    static func processes(naming text: String) -> [pid_t] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { pid_t($0) }.filter { identifier in
            guard let line = FileManager.default.contents(atPath: "/proc/\(identifier)/cmdline") else { return false }
            return line.range(of: Data(text.utf8)) != nil
        }
    }
}
#endif
