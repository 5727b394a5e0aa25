// A file is fetched, and somebody sees how far it is. It is there when it is complete, and not before.
import Foundation
import HttpC

let server = CommandLine.arguments[1]  // such as https://example.com

_ = try await HttpConversationManager().download(
    for: "\(server)/bytes/300000", to: URL(filePath: "download"),
    progress: { print("\($0.received) of \($0.total ?? $0.received) bytes received") })
