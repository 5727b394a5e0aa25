import Foundation
import HTTPTypes
import HttpConversation
import Synchronization

/// The background transfers of one session with their states, in memory and on disk.
final class BackgroundTable: Sendable {
    private let records: BackgroundRecords
    private let transfers: Mutex<[ConversationID: BackgroundRecord]>

    init(folder: URL) {
        records = BackgroundRecords(folder: folder)
        let known = records.load().map { ($0.id, $0) }
        transfers = Mutex(Dictionary(known) { first, _ in first })
    }

    /// All transfers, in the order of their ids.
    var all: [BackgroundRecord] {
        transfers.withLock { $0.values.sorted { $0.id.rawValue < $1.id.rawValue } }
    }

    subscript(id: ConversationID) -> BackgroundRecord? { transfers.withLock { $0[id] } }

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
        let record = BackgroundRecord(label)
        try transfers.withLock { transfers throws(ConversationError) in
            try records.write(record)
            transfers[record.id] = record
        }
    }

    /// Keeps the body of the answer to an upload, before the end of the transfer is noted.
    func keep(_ answer: BackgroundAnswer.Arriving, with fields: HTTPFields, for id: ConversationID) -> BackgroundAnswer
        .State?
    {
        transfers.withLock { transfers in
            guard transfers[id] != nil else { return nil }
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
        transfers.withLock { transfers in
            guard var record = transfers[id] else { return [] }
            var (state, actions) = record.state.after(event)
            if actions.contains(.keepResumeData), !keep(resumeData, for: id), case .ended(let result, _) = event {
                (state, actions) = record.state.after(.ended(result, isResumable: false))
            }
            guard let state else {
                transfers[id] = nil
                records.remove(id)
                return []
            }
            record.state = state
            if let label { record.bring(label) }
            transfers[id] = record
            if actions.contains(.write) {
                // If that fails, the result is lost only if the application ends before it has it.
                try? records.write(record)
                if !state.isResumable { records.removeResumeData(for: id) }
            }
            return Set(actions).intersection([.stop, .tell])
        }
    }

    private func keep(_ resumeData: Data?, for id: ConversationID) -> Bool {
        guard let resumeData else { return false }
        do throws(ConversationError) {
            try records.keep(resumeData, for: id)
            return true
        } catch { return false }
    }

    /// Compares with the system's tasks, once at the launch.
    ///
    /// - Parameter labels: the transfers that the system has
    /// - Returns: those whose results the application does not have yet, and the cookies of those that were lost since the
    ///   launch before
    func launched(_ labels: [BackgroundLabel]) -> (ends: [BackgroundRecord], cookies: Set<BackgroundLabel.CookiePlace>)
    {
        let present = Set(labels.map(\.conversationID))
        // A transfer of a version without records.
        for label in labels where self[label.conversationID] == nil { try? begin(label) }
        let before = all
        let lost = before.filter { $0.state == .running && !present.contains($0.id) }
        let ends = before.filter { record in
            apply(present.contains(record.id) ? .present : .missing, to: record.id).contains(.tell)
        }
        return (ends.compactMap { self[$0.id] }, Set(lost.flatMap { $0.cookies ?? [] }))
    }
}
