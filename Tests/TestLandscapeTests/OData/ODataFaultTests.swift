import Foundation
import LandscapeSupport
import Testing

/// The faults of the services.
@Suite(.landscape, .timeLimit(.minutes(1))) struct ODataFaultTests {
    private let landscape: Landscape

    init() throws { landscape = try .current }

    /// Each fault changes an answer.
    @Test(arguments: ODataFault.allCases) func faultChangesAnswer(fault: ODataFault) async throws {
        let service = ODataService(landscape: landscape, version: fault == .malformedAtom ? "v2" : "v4")
        let batch = """
            {"requests":[{"id":"a","method":"get","url":"Rows(1)"},{"id":"b","method":"get","url":"Rows(2)"}]}
            """
        // Only endless answers are cut off by time. On a busy machine, right answers are slow, too.
        let endless: [ODataFault] = [.endlessText, .endlessRows, .endlessNesting, .slow]
        func answers(upTo seconds: String) async throws -> [Data] {
            let short = ["-g", "--max-time", seconds]
            let paths = ["Rows?page=2&rows=5", "$metadata"]
            var all: [Data] = []
            for path in paths { all.append(try await Curl.run(short + [service.root + path]).output) }
            let sent = ["-H", "Content-Type: application/json", "-d", batch, service.root + "$batch"]
            return all + [try await Curl.run(short + sent).output]
        }
        let right = try await answers(upTo: "30")
        let admin = landscape.urlString(.main, "/admin/odata/fault?kind=\(fault.rawValue)")
        #expect(
            try await Curl.status("-X", "POST", "-H", "X-Landscape-Token: \(landscape.adminToken)", admin) == 200)
        #expect(right.allSatisfy { !$0.isEmpty })
        #expect(try await answers(upTo: endless.contains(fault) ? "0.5" : "30") != right)
    }

    @Test func sessionsEndInTheMiddle() async throws {
        landscape.odataRule.expiresAfterPages = 2
        let jar = try TemporaryFile("jar")
        let session = ["-b", jar.path, "-c", jar.path, "-H", "X-CSRF-Token: Fetch"]
        let service = ODataService(landscape: landscape, arguments: session)
        func token() async throws -> String {
            let head = try await service.get("Rows?page=1", "-i").text
            return String(try #require(head.firstMatch(of: /X-CSRF-Token: (\S+)/)).1)
        }
        let first = try await token()
        _ = try await token()
        #expect(try await token() != first)
        #expect(landscape.odataRule.expiresAfterPages == nil)
    }
}
