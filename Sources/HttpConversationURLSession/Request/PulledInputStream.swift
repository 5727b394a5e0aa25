#if canImport(FoundationNetworking)
import Foundation
import Synchronization

extension UploadStream {
    /// The stream that URLSession reads from.
    func start() -> InputStream { PulledInputStream(self) }
}

/// An input stream that blocks until it has bytes: FoundationNetworking takes «none now» for the end.
final class PulledInputStream: InputStream {
    private let source: UploadStream
    private let status = Mutex(Stream.Status.notOpen)

    init(_ source: UploadStream) {
        self.source = source
        super.init(data: Data())
    }

    override var streamStatus: Stream.Status { status.withLock { $0 } }
    override var hasBytesAvailable: Bool { streamStatus == .open }
    override func open() { status.withLock { $0 = .open } }
    override func close() { status.withLock { $0 = .closed } }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int {
        switch source.read(atMost: length) {
        case .bytes(let bytes):
            UnsafeMutableRawBufferPointer(start: buffer, count: length).copyBytes(from: bytes)
            return bytes.count
        case .end: return end(as: .atEnd, 0)
        case .failure: return end(as: .error, -1)
        }
    }

    private func end(as new: Stream.Status, _ result: Int) -> Int {
        status.withLock { $0 = new }
        return result
    }
}
#endif
