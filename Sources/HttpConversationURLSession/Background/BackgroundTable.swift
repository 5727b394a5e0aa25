import Foundation
import HTTPTypes
import HttpConversation
import Synchronization

/// The background transfers of one session with their states, in memory and on disk.
final class BackgroundTable: Sendable {
    private struct State {
        var transfers: [ConversationID: BackgroundRecord]
        /// The transfers that began, went on or ended in this process before it was compared with the system's tasks.
        /// For them the list of tasks may be out of date.
        var recent: Set<ConversationID>? = []
    }

    private let records: BackgroundRecords
    private let state: Mutex<State>

    init(folder: URL) {
        records = BackgroundRecords(folder: folder)
        let known = records.load().map { ($0.id, $0) }
        state = Mutex(State(transfers: Dictionary(known) { first, _ in first }))
    }

    /// All transfers, in the order of their ids.
    var all: [BackgroundRecord] {
        state.withLock { $0.transfers.values.sorted { $0.id.rawValue < $1.id.rawValue } }
    }

    subscript(id: ConversationID) -> BackgroundRecord? { state.withLock { $0.transfers[id] } }

    /// The cookies of each transfer that the system has, as far as the records name them.
    var cookiesOfRunning: [Set<BackgroundLabel.CookiePlace>] {
        all.filter(\.state.isWithTheSystem).compactMap(\.cookies)
    }

    func resumeData(for id: ConversationID) -> Data? { records.resumeData(for: id) }

    /// The body of an answer, of a transfer that has ended with one.
    func answer(of id: ConversationID) -> BackgroundAnswer? {
        guard case .ended(let result) = self[id]?.state, let state = result.answer else { return nil }
        return BackgroundAnswer(state: state, id: id, records: records)
    }

    /// Notes a transfer before the system gets it.
    ///
    /// - Throws: ``/HttpConversation/ConversationError/Code/outputFailed``: then its result could be lost
    func begin(_ label: BackgroundLabel) throws(ConversationError) {
        try state.withLock { state throws(ConversationError) in
            let record = BackgroundRecord(label)
            try records.write(record)
            state.transfers[record.id] = record
            state.recent?.insert(record.id)
        }
    }

    /// Keeps the body of the answer to an upload, before the end of the transfer is noted.
    func keep(_ answer: BackgroundAnswer.Arriving, with fields: HTTPFields, for id: ConversationID) -> BackgroundAnswer
        .State?
    {
        state.withLock { table in
            guard table.transfers[id] != nil else { return nil }
            let state = answer.state(with: fields)
            guard state == .kept else { return state }
            do throws(ConversationError) {
                try records.keep(answer: answer.bytes, for: id)
                return .kept
            } catch { return .notWritten }
        }
    }

    /// Notes an occurrence, and keeps the record on disk up to date.
    ///
    /// - Returns: the work that is left: to stop the task, or to tell the application
    func apply(
        _ event: BackgroundState.Event, to id: ConversationID, resumeData: Data? = nil, label: BackgroundLabel? = nil
    ) -> Set<BackgroundState.Action> {
        state.withLock { state in
            switch event {
            case .ended, .resumed: state.recent?.insert(id)
            case .pause, .missing, .present, .acknowledged: break
            }
            return apply(event, to: id, resumeData: resumeData, label: label, in: &state)
        }
    }

    private func apply(
        _ event: BackgroundState.Event, to id: ConversationID, resumeData: Data? = nil, label: BackgroundLabel? = nil,
        in table: inout State
    ) -> Set<BackgroundState.Action> {
        guard var record = table.transfers[id] else { return [] }
        var (state, actions) = record.state.after(event)
        if actions.contains(.keepResumeData), !keep(resumeData, for: id), case .ended(let result, _) = event {
            (state, actions) = record.state.after(.ended(result, isResumable: false))
        }
        guard let state else {
            table.transfers[id] = nil
            records.remove(id)
            return []
        }
        record.state = state
        if let label { record.bring(label) }
        table.transfers[id] = record
        if actions.contains(.write) {
            // If the write fails, the result is lost only if the application ends before it has read it.
            try? records.write(record)
            if !state.isResumable { records.removeResumeData(for: id) }
        }
        return Set(actions).intersection([.stop, .tell])
    }

    private func keep(_ resumeData: Data?, for id: ConversationID) -> Bool {
        guard let resumeData else { return false }
        do throws(ConversationError) {
            try records.keep(resumeData, for: id)
            return true
        } catch { return false }
    }

    /// The result of the comparison with the system's tasks.
    struct Launch {
        /// The transfers of an earlier launch that the system still has.
        var found: [BackgroundLabel] = []
        /// The transfers whose results the application does not have yet.
        var ends: [BackgroundRecord] = []
        /// The cookies of the transfers that ``cookiesOfRunning`` had, now that the system's are known.
        var cookies: [Set<BackgroundLabel.CookiePlace>] = []
    }

    /// Compares the transfers of earlier launches with the system's tasks, once at the launch. A transfer that has
    /// begun or ended meanwhile stays as it is.
    ///
    /// - Parameter labels: the transfers that the system has
    func launched(_ labels: [BackgroundLabel]) -> Launch {
        state.withLock { state in
            let recent = state.recent ?? []
            state.recent = nil
            var launch = Launch()
            launch.found = labels.filter { !recent.contains($0.conversationID) }
            let present = Set(launch.found.map(\.conversationID))
            let before = state.transfers.values.filter { !recent.contains($0.id) }
            launch.cookies = before.filter(\.state.isWithTheSystem).compactMap(\.cookies)
            // A transfer of a version without records, or one whose record cannot be read now.
            for label in launch.found where state.transfers[label.conversationID] == nil {
                let record = BackgroundRecord(label)
                state.transfers[record.id] = record
                // If the write fails, the end is told in this launch all the same.
                try? records.write(record)
            }
            for record in before.sorted(by: { $0.id.rawValue < $1.id.rawValue }) {
                let event = present.contains(record.id) ? BackgroundState.Event.present : .missing
                let actions = apply(event, to: record.id, in: &state)
                if actions.contains(.tell), let ended = state.transfers[record.id] { launch.ends.append(ended) }
            }
            return launch
        }
    }
}
