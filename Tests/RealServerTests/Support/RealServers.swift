import Foundation
import TestSupport
import Testing

/// Starts each server when a test first needs it and keeps it for later tests. At most two run at a time.
///
/// The tests are serialized, so a server that is stopped for another one is not in use.
actor RealServers {
    static let shared = RealServers()

    private struct Running {
        let server: RealServer
        let supervisor: Supervisor
    }

    private var running: [Running] = []
    private var base: TestDirectory?

    /// The shared directory for certificates and files of single tests.
    func directory() async throws -> TestDirectory {
        if let base { return base }
        let made = try await TestDirectory()
        base = made
        return made
    }

    /// The authority of the servers' TLS certificates.
    func authority() async throws -> URL { try await directory().authority }

    func server(_ kind: ServerKind) async throws -> RealServer {
        if let index = running.firstIndex(where: { $0.server.kind == kind && $0.supervisor.isRunning }) {
            let entry = running.remove(at: index)
            running.append(entry)
            return entry.server
        }
        try #require(
            FileManager.default.isExecutableFile(atPath: kind.executable),
            "\(kind.executable) is missing: run scripts/setup")
        let versions = try await versions(of: kind)
        while running.count >= 2 { await running.removeFirst().supervisor.stop() }
        let entry = try await start(kind)
        print("real servers: \(versions)")
        running.append(entry)
        return entry.server
    }

    private func start(_ kind: ServerKind) async throws -> Running {
        let base = try await directory()
        var failure = ""
        // Another process may take a free port before the server binds it.
        for attempt in 1...5 {
            let ports = try FreePorts.find(RealServer.Port.allCases.count)
            let server = RealServer(
                kind: kind, directory: base.url.appending(path: "\(kind.rawValue)\(attempt)-\(ports[0])"), ports: ports)
            try await Fixture(server: server, base: base).write()
            let supervisor = try Supervisor(
                directory: server.directory,
                command: kind.command(directory: server.directory.path, ports: ports))
            if await isReady(server, supervisor) { return Running(server: server, supervisor: supervisor) }
            failure = (try? server.log("error.log").suffix(5).joined(separator: "\n")) ?? ""
            failure += supervisor.output
            await supervisor.stop()
        }
        throw SetupFailure("\(kind.executable) does not start: \(failure)")
    }

    private func versions(of kind: ServerKind) async throws -> String {
        let version = try await Program.run(kind.executable, kind.versionArguments)
        let line = String((version.text + version.errors).prefix { !$0.isNewline })
        guard !kind.packages.isEmpty else { return line }
        let packages = try await Program.run(
            "/usr/bin/dpkg-query", ["-W", "-f", ", ${Package} ${Version}"] + kind.packages)
        try #require(packages.status == 0, "packages are missing: run scripts/setup. \(packages.errors)")
        return line + packages.text
    }

    private func isReady(_ server: RealServer, _ supervisor: Supervisor) async -> Bool {
        for _ in 0..<400 where supervisor.isRunning {
            let answer = try? await Program.run(
                "/usr/bin/curl",
                ["-s", "--noproxy", "*", "--max-time", "2", "-o", "/dev/null", server.url("/open/hello.txt")])
            if answer?.status == server.kind.readyStatus { return true }
            try? await Task.sleep(for: .milliseconds(50))
        }
        return false
    }
}

/// The error for a missing prerequisite of the tests.
struct SetupFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
