import Foundation
import HttpConvSystem
import Testing

@Suite(.timeLimit(.minutes(1))) struct DraftFileTests {
    /// A fixed name, or names that somebody takes again and again, must not keep a caller for ever.
    @Test func namesThatAreAllTakenAreAnError() throws {
        let bench = try DownloadBench()
        let taken = bench.directory.appending(path: "taken").path
        try Data("theirs".utf8).write(to: URL(filePath: taken))
        var tries = 0
        let draft = DraftFile {
            tries += 1
            return taken
        }
        let reason = errno
        #expect(draft == nil)
        #expect(reason == EEXIST)
        #expect(tries == 100)
        #expect(try String(contentsOfFile: taken, encoding: .utf8) == "theirs")
    }

    @Test(arguments: [1, 99]) func aFreeNameIsFound(after count: Int) throws {
        let bench = try DownloadBench()
        let taken = bench.directory.appending(path: "taken").path
        try Data().write(to: URL(filePath: taken))
        var tries = 0
        let draft = try #require(
            DraftFile {
                tries += 1
                return tries > count ? taken + ".free" : taken
            })
        #expect(draft.place(at: taken, replacing: false) == EEXIST)
        #expect(bench.names == ["taken"])
    }
}
