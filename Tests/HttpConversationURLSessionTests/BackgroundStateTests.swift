import Foundation
import HTTPTypes
import HttpConversation
import Testing

@testable import HttpConversationURLSession

/// The states of background transfers and their records on disk.
@Suite("States of background transfers", .timeLimit(.minutes(1)))
struct BackgroundStateTests {
    private static let finished = BackgroundResult(.finished(HTTPResponse(status: .ok)))
    private static let cancelled = BackgroundResult(.failed(ConversationError(.cancelled, "stopped")))
    private static var left: BackgroundResult {
        var result = cancelled
        result.isResumable = true
        return result
    }
    private static let broken = BackgroundResult(.failed(ConversationError(.bodyCut, "cut")))
    private static let login = BackgroundResult(.authenticationRequired(nil))
    private static var partial: BackgroundResult {
        var result = broken
        result.isResumable = true
        return result
    }

    private static let states: [BackgroundState] = [
        .running, .pausing, .paused, .ended(finished), .ended(partial), .ended(BackgroundState.lost),
    ]
    private static let events: [BackgroundState.Event] = [
        .pause, .resumed, .present, .missing, .acknowledged, .ended(finished, isResumable: false),
        .ended(login, isResumable: false), .ended(broken, isResumable: true), .ended(cancelled, isResumable: true),
        .ended(cancelled, isResumable: false),
    ]

    /// Every event in every state. Pairs that the table does not have change nothing.
    @Test func everyEventInEveryState() {
        typealias Outcome = (state: BackgroundState?, actions: [BackgroundState.Action])
        let ends: [BackgroundState.Event: Outcome] = [
            .ended(Self.finished, isResumable: false): (.ended(Self.finished), [.write, .tell]),
            .ended(Self.login, isResumable: false): (.ended(Self.login), [.write, .tell]),
            .ended(Self.broken, isResumable: true): (.ended(Self.partial), [.keepResumeData, .write, .tell]),
            // The system has cancelled it.
            .ended(Self.cancelled, isResumable: true): (.ended(Self.left), [.keepResumeData, .write, .tell]),
            .ended(Self.cancelled, isResumable: false): (.ended(Self.cancelled), [.write, .tell]),
        ]
        var table: [BackgroundState: [BackgroundState.Event: Outcome]] = [:]
        table[.running] = ends
        table[.running]?[.missing] = (.ended(BackgroundState.lost), [.write, .tell])
        table[.pausing] = table[.running]
        for state in [BackgroundState.running, .pausing] { table[state]?[.pause] = (.pausing, [.write, .stop]) }
        table[.pausing]?[.ended(Self.cancelled, isResumable: true)] = (.paused, [.keepResumeData, .write])
        table[.paused] = [.resumed: (.running, [.write]), .acknowledged: (nil, [.remove])]
        for result in [Self.finished, Self.partial, BackgroundState.lost] {
            table[.ended(result)] = [
                .missing: (.ended(result), [.tell]), .acknowledged: (nil, [.remove]),
            ]
        }
        table[.ended(Self.partial)]?[.resumed] = (.running, [.write])
        // The result may come after the launch in which the transfer was not found.
        table[.ended(BackgroundState.lost)]?.merge(ends) { $1 }
        table[.ended(BackgroundState.lost)]?[.present] = (.running, [.write])
        for state in Self.states {
            for event in Self.events {
                let expected = table[state]?[event] ?? (state, [])
                let found = state.after(event)
                #expect(found.state == expected.state, "\(state), \(event)")
                #expect(found.actions == expected.actions, "\(state), \(event)")
            }
        }
    }

    @Test func resultsComeBackWithoutSecrets() throws {
        var head = HTTPResponse(status: .ok)
        head.headerFields[.eTag] = "\"1\""
        head.headerFields[.setCookie] = "sid=secret"
        let text = try JSONEncoder().encode(BackgroundResult(.finished(head)))
        #expect(!String(decoding: text, as: UTF8.self).contains("secret"))
        guard case .finished(let kept) = try JSONDecoder().decode(BackgroundResult.self, from: text).outcome else {
            Issue.record("not finished")
            return
        }
        #expect(kept.status == .ok && kept.headerFields[.eTag] == "\"1\"")
        guard case .failed(let error) = Self.broken.outcome else {
            Issue.record("not failed")
            return
        }
        #expect(error.code == .bodyCut && error.message == "cut")
        // A record that says nonsense.
        let odd = #"{"kind":"finished","status":7,"fields":{},"isResumable":false}"#
        guard case .failed = try JSONDecoder().decode(BackgroundResult.self, from: Data(odd.utf8)).outcome else {
            Issue.record("not failed")
            return
        }
    }

    /// An earlier launch may have had the first part of a body.
    @Test(arguments: [
        (nil, nil, BackgroundAnswer.State.kept), ("4", nil, .kept), ("5", nil, .cut), ("2", "gzip", .kept),
        ("5", "identity", .cut), ("many", nil, .kept),
    ]) func aCutBodyIsNoticed(_ length: String?, _ coding: String?, _ state: BackgroundAnswer.State) {
        var answer = BackgroundAnswer.Arriving()
        for piece in ["st", "", "or"] { answer.append(Array(piece.utf8)) }
        var fields = HTTPFields()
        fields[.contentLength] = length
        fields[.contentEncoding] = coding
        #expect(answer.bytes == Array("stor".utf8))
        #expect(answer.state(with: fields) == state)
    }

    /// A body beyond the limit is dropped, also if a small piece follows.
    @Test func aBodyThatIsTooLargeIsDropped() {
        var answer = BackgroundAnswer.Arriving()
        for _ in 0..<3 { answer.append([UInt8](repeating: 1, count: BackgroundAnswer.maximumBytes / 2)) }
        answer.append([1])
        #expect(answer.bytes.isEmpty)
        #expect(answer.state(with: [:]) == .tooLarge)
    }

    @Test func bodiesAreKeptForKnownTransfers() throws {
        try withFolder { folder in
            let table = BackgroundTable(folder: folder)
            let label = label()
            let id = label.conversationID
            var answer = BackgroundAnswer.Arriving()
            answer.append(Array("stored".utf8))
            #expect(table.keep(answer, with: [:], for: id) == nil)
            try table.begin(label)
            var result = Self.finished
            result.answer = table.keep(answer, with: [:], for: id)
            _ = table.apply(.ended(result, isResumable: false), to: id)
            #expect(try BackgroundTable(folder: folder).answer(of: id)?.read() == Array("stored".utf8))
            // The folder can be written no more.
            try FileManager.default.removeItem(at: folder)
            try Data().write(to: folder)
            #expect(table.keep(answer, with: [:], for: id) == .notWritten)
            for (state, code) in [
                (BackgroundAnswer.State.cut, ConversationError.Code.bodyCut), (.notWritten, .outputFailed),
            ] {
                let lost = BackgroundAnswer(state: state, id: id, records: BackgroundRecords(folder: folder))
                let error = #expect(throws: ConversationError.self) { try lost.read() }
                #expect(error?.code == code && error?.message.contains("send it again") == true)
            }
        }
    }

    /// Records of a version without bodies.
    @Test func oldResultsHaveNoBody() throws {
        let old = #"{"kind":"finished","status":200,"fields":{},"isResumable":false}"#
        #expect(try JSONDecoder().decode(BackgroundResult.self, from: Data(old.utf8)).answer == nil)
    }

    private func withFolder(_ work: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "background-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try work(folder)
    }

    private func label(_ path: String = "/f") -> BackgroundLabel {
        BackgroundLabel(conversationID: ConversationID(), kind: .download, path: path)
    }

    @Test func recordsSurviveTheProcess() throws {
        try withFolder { folder in
            let (label, other) = (label(), label("/g"))
            let table = BackgroundTable(folder: folder)
            try table.begin(label)
            try table.begin(other)
            let id = label.conversationID
            #expect(
                table.apply(.ended(Self.finished, isResumable: false), to: id) == [.tell])
            let mode = try FileManager.default.attributesOfItem(atPath: folder.appending(path: "\(id).json").path)[
                .posixPermissions]
            #expect(mode as? Int == 0o600)
            // Another launch: the system still has the other transfer.
            let later = BackgroundTable(folder: folder)
            #expect(later.launched([other]).ends.map(\.id) == [id])
            #expect(later[id]?.state == .ended(Self.finished) && later[other.conversationID]?.state == .running)
            #expect(later.apply(.acknowledged, to: id).isEmpty)
            // And another one: it is gone.
            let last = BackgroundTable(folder: folder)
            #expect(last.launched([]).ends.map(\.state) == [.ended(BackgroundState.lost)])
            #expect(last.all.map(\.id) == [other.conversationID])
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        }
    }

    @Test func resumeDataIsKeptUntilItIsUsed() throws {
        try withFolder { folder in
            let label = label()
            let id = label.conversationID
            let table = BackgroundTable(folder: folder)
            try table.begin(label)
            #expect(table.apply(.pause, to: id) == [.stop])
            let paused = BackgroundState.Event.ended(Self.cancelled, isResumable: true)
            #expect(table.apply(paused, to: id, resumeData: Data("rest".utf8)).isEmpty)
            let later = BackgroundTable(folder: folder)
            #expect(later.launched([]).ends.isEmpty && later[id]?.state == .paused)
            #expect(later.resumeData(for: id) == Data("rest".utf8))
            #expect(later.apply(.resumed, to: id).isEmpty)
            #expect(later.resumeData(for: id) == nil)
            #expect(later.apply(.pause, to: id) == [.stop])
            // Without data there is nothing to resume.
            #expect(later.apply(paused, to: id) == [.tell])
            #expect(later[id]?.state == .ended(Self.cancelled))
        }
    }

    /// The system may cancel a transfer whose application the person has ended by hand.
    @Test func whatTheSystemCancelsIsToldAndCanBeResumed() throws {
        try withFolder { folder in
            let label = label()
            try BackgroundTable(folder: folder).begin(label)
            let table = BackgroundTable(folder: folder)
            let cancelled = BackgroundState.Event.ended(Self.cancelled, isResumable: true)
            #expect(table.apply(cancelled, to: label.conversationID, resumeData: Data("rest".utf8)) == [.tell])
            #expect(table[label.conversationID]?.state == .ended(Self.left))
            #expect(table.resumeData(for: label.conversationID) == Data("rest".utf8))
        }
    }

    /// A pause outlives the process, and records of a version without it can be read.
    @Test func aPauseIsInTheRecord() throws {
        try withFolder { folder in
            let label = label()
            let table = BackgroundTable(folder: folder)
            try table.begin(label)
            _ = table.apply(.pause, to: label.conversationID)
            #expect(BackgroundTable(folder: folder)[label.conversationID]?.state == .pausing)
            for (text, state) in [(#"{"running":{}}"#, BackgroundState.running), (#"{"paused":{}}"#, .paused)] {
                #expect(try JSONDecoder().decode(BackgroundState.self, from: Data(text.utf8)) == state)
            }
        }
    }

    /// The list of the system's tasks may be older than a transfer that the application begins at once.
    @Test(arguments: [false, true]) func whatBeginsBeforeTheComparisonIsNotLost(isListed: Bool) throws {
        try withFolder { folder in
            let (new, resumed) = (label(), label("/g"))
            let earlier = BackgroundTable(folder: folder)
            try earlier.begin(resumed)
            _ = earlier.apply(
                .ended(Self.broken, isResumable: true), to: resumed.conversationID, resumeData: Data("rest".utf8))
            let table = BackgroundTable(folder: folder)
            try table.begin(new)
            _ = table.apply(.resumed, to: resumed.conversationID, label: resumed)
            let launch = table.launched(isListed ? [new, resumed] : [])
            // Their cookies are counted already.
            #expect(launch.ends.isEmpty && launch.cookies.isEmpty && launch.found.isEmpty)
            for label in [new, resumed] { #expect(table[label.conversationID]?.state == .running) }
        }
    }

    /// An end that comes before the comparison is told once, and begins no record anew.
    @Test(arguments: [false, true]) func whatEndsBeforeTheComparisonIsToldOnce(isListed: Bool) throws {
        try withFolder { folder in
            let (label, gone, paused) = (label(), label("/g"), label("/h"))
            let earlier = BackgroundTable(folder: folder)
            for label in [label, gone, paused] { try earlier.begin(label) }
            let table = BackgroundTable(folder: folder)
            for label in [label, gone] {
                #expect(table.apply(.ended(Self.finished, isResumable: false), to: label.conversationID) == [.tell])
            }
            _ = table.apply(.acknowledged, to: gone.conversationID)
            // A transfer that the system has lost is still lost if a pause is asked for.
            _ = table.apply(.pause, to: paused.conversationID)
            let launch = table.launched(isListed ? [label, gone] : [])
            #expect(launch.ends.map(\.id) == [paused.conversationID] && launch.found.isEmpty)
            #expect(table[gone.conversationID] == nil)
        }
    }

    /// A transfer that the system has lost has cookies until the next launch; those of a resumed one are its newest.
    @Test func cookiesOfRunningTransfers() throws {
        try withFolder { folder in
            func label(_ id: ConversationID, _ name: String) -> BackgroundLabel {
                BackgroundLabel(
                    conversationID: id, kind: .download, path: "/f",
                    cookies: [.init(name: name, domain: "example.com", path: "/")])
            }
            let (lost, resumed) = (ConversationID(), ConversationID())
            let table = BackgroundTable(folder: folder)
            try table.begin(label(lost, "a"))
            try table.begin(label(resumed, "b"))
            _ = table.apply(
                .ended(Self.cancelled, isResumable: true), to: resumed, resumeData: Data("rest".utf8))
            _ = table.apply(.resumed, to: resumed, label: label(resumed, "c"))
            for running in [["a", "c"], ["c"]] {
                let later = BackgroundTable(folder: folder)
                #expect(Set(later.cookiesOfRunning.joined().map(\.name)) == Set(running))
                let cookies = later.launched([label(resumed, "c")]).cookies
                #expect(Set(cookies.joined().map(\.name)) == Set(running))
                #expect(later[resumed]?.cookies?.map(\.name) == ["c"])
            }
        }
    }

    @Test func damagedRecordsAreLeftOut() throws {
        try withFolder { folder in
            let table = BackgroundTable(folder: folder)
            try table.begin(label())
            let name = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
            let good = try Data(contentsOf: folder.appending(path: name))
            try Data("{".utf8).write(to: folder.appending(path: "0000000000000001.json"))
            try good.write(to: folder.appending(path: "0000000000000002.json"))
            try Data(count: 1 << 20).write(to: folder.appending(path: "0000000000000003.json"))
            #expect(BackgroundTable(folder: folder).all.map { "\($0.id).json" } == [name])
        }
    }

    /// Without a record the result could be lost, so nothing begins.
    @Test func withoutAFolderNothingBegins() {
        let table = BackgroundTable(folder: URL(filePath: "/dev/null/x"))
        let error = #expect(throws: ConversationError.self) { try table.begin(label()) }
        #expect(error?.code == .outputFailed)
        #expect(table.all.isEmpty)
    }

    /// The records may be unreadable while the device is locked: what the system still has is told all the same.
    @Test func withoutAFolderEndsAreTold() {
        let table = BackgroundTable(folder: URL(filePath: "/dev/null/x"))
        let label = label()
        #expect(table.launched([label]).found == [label])
        #expect(table.apply(.ended(Self.finished, isResumable: false), to: label.conversationID) == [.tell])
    }
}
