#if PostgreSQL
import Foundation
import HttpConvPostgresStorage
import HttpConvVault
import Synchronization
import TestSupport
import Testing

/// Debian's PostgreSQL, which `scripts/support/postgres` runs in a directory of its own. It ends with this process.
final class PostgresServer: Sendable {
    private static let running = Task { try await PostgresServer() }
    private static let disturbed = Task { try await PostgresServer() }

    /// The server that most tests share; each has a database of its own.
    static var shared: PostgresServer { get async throws { try await running.value } }

    /// The server that ``AwayTests`` stop and restart, one after the other.
    static var interrupted: PostgresServer { get async throws { try await disturbed.value } }

    let directory: String
    let port: String
    private let child: ChildProcess
    private let commands: FileHandle
    private let output: String
    private let answers = Mutex(1)

    /// - Parameter smallDisk: the size of a disk in the folder `small` of the directory, such as `4m`
    init(smallDisk: String? = nil) async throws {
        // Short: it begins the path of a Unix socket.
        directory = FileManager.default.temporaryDirectory.path + "/pg\(UInt16.random(in: 0 ... .max))"
        output = directory + ".out"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let pipe = Pipe()
        let script = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../scripts/support/postgres").standardized.path
        child = try ChildProcess(
            "/bin/bash", [script, directory] + [smallDisk].compactMap { $0 }, environment: Program.environment,
            input: .descriptor(pipe.fileHandleForReading.fileDescriptor), output: .file(output),
            errors: .file(output + ".err"))
        try pipe.fileHandleForReading.close()
        commands = pipe.fileHandleForWriting
        port = String(try #require(try await Self.answer(1, output, child)?.split(separator: " ").last))
    }

    deinit {
        try? commands.close()
        try? FileManager.default.removeItem(atPath: output)
    }

    /// Gives a command of the script, and waits for its answer.
    func order(_ command: String) async throws {
        let number = answers.withLock { answers in
            answers += 1
            return answers
        }
        try commands.write(contentsOf: Data("\(command)\n".utf8))
        _ = try await Self.answer(number, output, child)
    }

    private static func answer(_ number: Int, _ output: String, _ child: ChildProcess) async throws -> String? {
        while true {
            let lines = try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
            if lines.count >= number { return String(lines[number - 1]) }
            guard kill(child.identifier, 0) == 0 else {
                throw NoServer(description: (try? String(contentsOfFile: output + ".err", encoding: .utf8)) ?? "")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }

    struct NoServer: Error, CustomStringConvertible { let description: String }

    /// Runs SQL as the superuser, by PostgreSQL's own client.
    @discardableResult
    func psql(_ sql: String, in database: String = "postgres") async throws -> String {
        let folder = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql").sorted().last ?? ""
        let outcome = try await Program.run(
            "/usr/lib/postgresql/\(folder)/bin/psql",
            [
                "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", directory, "-p", port, "-U", "postgres", "-c",
                sql, database,
            ])
        try #require(outcome.status == 0, "\(outcome.errors)")
        return outcome.text.trimmingCharacters(in: .newlines)
    }

    /// A new database of the role app.
    func database() async throws -> TestDatabase {
        let name = "d\(UInt32.random(in: 0 ... .max))"
        try await psql("CREATE DATABASE \(name) OWNER app")
        return TestDatabase(server: self, name: name)
    }
}

/// A database of a test.
struct TestDatabase: Sendable {
    let server: PostgresServer
    let name: String
    static let secret = [UInt8](repeating: 7, count: 32)

    /// The connection string for TLS over loopback.
    var connection: String {
        "host=localhost hostaddr=127.0.0.1 port=\(server.port) dbname=\(name) user=app password=app sslrootcert=\(server.directory)/ca.pem"
    }

    var configuration: PostgresConfiguration { PostgresConfiguration(connection) }

    static func key(_ byte: UInt8 = 7) throws -> DataVaultKey { try .bytes([UInt8](repeating: byte, count: 32)) }

    /// A new handle, as another process has it.
    func open(
        _ change: (inout PostgresConfiguration) -> Void = { _ in }
    ) async throws -> PostgresTokenDatabase {
        var configuration = configuration
        change(&configuration)
        return try await PostgresTokenDatabase.open(configuration, key: try Self.key())
    }

    @discardableResult func psql(_ sql: String) async throws -> String { try await server.psql(sql, in: name) }
}

extension TestDatabase {
    /// Cuts all connections.
    func cut() async throws {
        try await server.psql(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = '\(name)'")
    }

    /// Lets each write of tokens fail as on a full disk (SQLSTATE 53100), or no longer; leases are given all the same.
    func setFull(_ isFull: Bool) async throws {
        guard isFull else {
            try await psql("DROP FUNCTION public.full_disk CASCADE")
            return
        }
        try await psql(
            """
            CREATE FUNCTION public.full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
            CREATE TRIGGER full_disk BEFORE UPDATE ON httpconv_token FOR EACH ROW
            WHEN (OLD.version <> NEW.version) EXECUTE FUNCTION public.full_disk();
            """)
    }

    /// Makes the database one that cannot be written, as a primary becomes at a switch-over, or the contrary.
    func setReadOnly(_ isReadOnly: Bool) async throws {
        try await server.psql(
            "ALTER DATABASE \(name) SET default_transaction_read_only = \(isReadOnly ? "on" : "off")")
        try await cut()
    }

    /// Lets time pass for leases: they end by the database's clock.
    func pass(_ time: Duration) async throws {
        try await psql(
            "UPDATE httpconv_token SET expires = expires - interval '\(time.components.seconds) seconds'")
    }
}
#endif
