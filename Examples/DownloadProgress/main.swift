// Downloads a file and prints the progress. The file appears only when it is complete.
import Foundation
import HttpC

let server = CommandLine.arguments[1]  // such as https://example.com

_ = try await HttpConversationManager().download(
    for: "\(server)/bytes/300000", to: URL(filePath: "download"),
    progress: { print("\($0.received) of \($0.total ?? $0.received) bytes received") })
