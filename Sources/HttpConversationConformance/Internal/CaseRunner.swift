import HttpConversation
import Synchronization

/// Runs several cases at a time, each with a time limit.
struct CaseRunner: Sendable {
    enum Outcome: Sendable {
        case passed
        case failed(ConformanceFinding)
        case notRun(String)
    }

    let wire: ConformanceWire
    let timeLimit: Duration
    let makeTransport: @Sendable (ConformanceSetup) async throws -> any HTTPTransport

    /// Runs cases. Returns their outcomes in the same order.
    func outcomes(of cases: [ConformanceCase], inParallel width: Int, exclusions: Exclusions) async -> [Outcome] {
        await withTaskGroup(of: (Int, Outcome).self) { group in
            var outcomes = [Outcome?](repeating: nil, count: cases.count)
            for (index, test) in cases.enumerated() {
                if index >= max(1, width), let (index, outcome) = await group.next() { outcomes[index] = outcome }
                let exclusion = exclusions[test.id]
                group.addTask { (index, await self.outcome(of: test, exclusion)) }
            }
            for await (index, outcome) in group { outcomes[index] = outcome }
            return outcomes.compactMap(\.self)
        }
    }

    private func outcome(of test: ConformanceCase, _ exclusion: ConformanceExclusion?) async -> Outcome {
        do {
            if let failsAlone = exclusion?.failsAlone {
                guard try await !failsAlone(test.id) else { throw Mismatch(expected: "to pass", happened: "it failed") }
            } else {
                try await limited(test, to: exclusion?.timeLimit ?? timeLimit)
            }
            return .passed
        } catch let missing as CaseRun.Missing {
            return .notRun("needs \(missing.capabilities)")
        } catch {
            return .failed(Self.finding(test, error))
        }
    }

    private static func finding(_ test: ConformanceCase, _ error: any Error) -> ConformanceFinding {
        let mismatch = error as? Mismatch ?? Mismatch(expected: "no error", happened: "\(error)")
        return ConformanceFinding(
            caseID: test.id, title: test.title, expected: mismatch.expected, happened: mismatch.happened)
    }

    /// Runs a case with a time limit. A case beyond the limit is cancelled and not waited for, because a transport may
    /// ignore cancellation.
    private func limited(_ test: ConformanceCase, to timeLimit: Duration) async throws {
        let run = CaseRun(test, wire: wire, makeTransport: makeTransport)
        let (results, continuation) = AsyncStream<Result<Void, any Error>>.makeStream()
        let task = Task {
            do { continuation.yield(.success(try await test.run(run))) } catch { continuation.yield(.failure(error)) }
        }
        let timer = Task {
            try? await Task.sleep(for: timeLimit)
            continuation.yield(
                .failure(Mismatch(expected: "an end within \(timeLimit)", happened: "it goes on")))
        }
        defer {
            task.cancel()
            timer.cancel()
        }
        for await result in results { return try result.get() }
        throw CancellationError()
    }
}
