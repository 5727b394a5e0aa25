#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import HttpCRelay

@Suite struct RelayRecordTests {
    private let directory = TemporaryPlace.unused("httpc-test")
    private let own: RelayMachine
    private var environment: [String: String] { ["XDG_STATE_HOME": directory.path(percentEncoded: false)] }

    init() throws { own = try #require(RelayMachine.own) }

    private func machine(
        installation: String = "x", boot: String? = nil, namespace: String = RelayMachine.firstNamespace
    ) -> RelayMachine {
        RelayMachine(installation: installation, boot: boot ?? own.boot, namespace: namespace)
    }

    /// A home directory may be that of several machines and containers.
    @Test func recordsOfOtherMachinesStay() async throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let entries = [RelayRecord.Entry(target: "https://a.example/", local: "http://127.0.0.1:1/")]
        for place in [own, machine(boot: "other"), machine(installation: "", namespace: "7")] {
            _ = try RelayRecord.write(entries, on: place, environment: environment)
        }
        for _ in 0..<2 {
            let records = try RelayRecord.all(environment: environment)
            #expect(records.map(\.isElsewhere).filter { $0 }.count == 2 && records.count == 3)
            for record in records where record.isElsewhere {
                await #expect(throws: (any Error).self) { try await record.stop() }
            }
        }
    }

    @Test(arguments: ["http://127.0.0.1:1/secret", "http://127.0.0.1:1/secret/"])
    func aSlashAtTheEndMakesNoOtherURL(local: String) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let entries = [RelayRecord.Entry(target: "https://a.example/", local: local)]
        let record = try RelayRecord.write(entries, environment: environment)
        for word in [
            "http://127.0.0.1:1/secret", "http://127.0.0.1:1/secret/", "https://a.example", "https://a.example/",
            "a.example",
            // As a browser shows it.
            "http://127.0.0.1:1/", "http://127.0.0.1:1", "127.0.0.1:1",
        ] { #expect(record.serves(word), "\(word)") }
        for word in ["http://127.0.0.1:2/", "http://127.0.0.1:1/other", "https://127.0.0.1:1/", "http://127.0.0.1/"] {
            #expect(!record.serves(word), "\(word)")
        }
    }

    @Test func aDefaultPortMayBeWrittenOrNot() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let entries = [RelayRecord.Entry(target: "https://a.example/x/", local: "http://127.0.0.1/secret")]
        let record = try RelayRecord.write(entries, environment: environment)
        for word in [
            "http://127.0.0.1", "http://127.0.0.1:80/", "http://127.0.0.1:80/secret", "https://a.example:443/x",
        ] { #expect(record.serves(word), "\(word)") }
    }

    @Test func aSocketMayBeNamedRelativeToTheDirectory() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let local = FileManager.default.currentDirectoryPath + "/relay.sock"
        let entries = [RelayRecord.Entry(target: "https://a.example/", local: local)]
        let record = try RelayRecord.write(entries, environment: environment)
        for word in [local, "relay.sock"] { #expect(record.serves(word), "\(word)") }
        #expect(!record.serves("other.sock"))
    }

    @Test func anEarlierBootOfAMachineHasEnded() {
        let now = machine()
        #expect(machine(boot: "earlier").hasEnded(before: now))
        #expect(!machine().hasEnded(before: now))
        #expect(!machine(installation: "y", boot: "earlier").hasEnded(before: now))
        #expect(!machine(boot: "earlier", namespace: "7").hasEnded(before: now))
        #expect(!machine(installation: "", boot: "earlier").hasEnded(before: machine(installation: "")))
    }
}
#endif
