/// The state of a background transfer, as its record on disk has it.
enum BackgroundState: Hashable, Codable, Sendable {
    /// The system has it.
    case running
    /// The system has it, and the application has asked for a pause.
    case pausing
    /// Stopped by the application, with resume data on disk.
    case paused
    /// Ended. The application does not have the result yet.
    case ended(BackgroundResult)

    /// An occurrence in the life of a transfer.
    enum Event: Hashable, Sendable {
        /// The application asks for a pause.
        case pause
        /// The system has it again.
        case resumed
        /// The system reports the end.
        ///
        /// - Parameter isResumable: whether resume data came with it
        case ended(BackgroundResult, isResumable: Bool)
        /// The application was launched again, and the system has no such transfer.
        case missing
        /// The application was launched again, and the system still has it.
        case present
        /// The application has the result, or does not want the rest of a paused transfer.
        case acknowledged
    }

    /// The work that follows an event.
    enum Action: Hashable, Sendable {
        /// Stop the system's task, asking for resume data.
        case stop
        /// Keep the resume data that came with the end.
        case keepResumeData
        /// Write the record.
        case write
        /// Tell the application of the end.
        case tell
        /// Remove the record and its resume data.
        case remove
    }

    /// The result of a transfer that the system no longer knows: the person may have ended the application by hand.
    static let lost = BackgroundResult(
        kind: .failed, code: .connectionFailed,
        message: "The system no longer has this background transfer, and reported no result: begin it again.")

    /// Whether the system is to have a task for it.
    var isWithTheSystem: Bool { self == .running || self == .pausing }

    /// Whether the rest can be asked for.
    var isResumable: Bool {
        switch self {
        case .running, .pausing: false
        case .paused: true
        case .ended(let result): result.isResumable
        }
    }

    /// The state after an event, nil if none is left, and the work to do.
    func after(_ event: Event) -> (state: BackgroundState?, actions: [Action]) {
        switch (self, event) {
        case (.running, .pause), (.pausing, .pause): (.pausing, [.write, .stop])
        case (.pausing, .ended(let result, isResumable: true)) where result.code == .cancelled:
            (.paused, [.keepResumeData, .write])
        // The system cancels transfers, too, such as those of an application that the person ends by hand.
        case (.running, .ended(let result, let isResumable)), (.pausing, .ended(let result, let isResumable)):
            Self.end(result, isResumable)
        case (.running, .missing), (.pausing, .missing): (.ended(Self.lost), [.write, .tell])
        // A result may be reported after the launch in which the transfer was not found.
        case (.ended(Self.lost), .ended(let result, let isResumable)): Self.end(result, isResumable)
        case (.ended(Self.lost), .present): (.running, [.write])
        case (.ended, .missing): (self, [.tell])
        case (.paused, .resumed): (.running, [.write])
        case (.ended(let result), .resumed) where result.isResumable: (.running, [.write])
        case (.paused, .acknowledged), (.ended, .acknowledged): (nil, [.remove])
        default: (self, [])
        }
    }

    private static func end(_ result: BackgroundResult, _ isResumable: Bool) -> (BackgroundState?, [Action]) {
        guard isResumable else { return (.ended(result), [.write, .tell]) }
        var resumable = result
        resumable.isResumable = true
        return (.ended(resumable), [.keepResumeData, .write, .tell])
    }
}
