package io.arraymorph.cli;

import io.arraymorph.ArrayMorphException;
import io.arraymorph.ErrorCode;
import io.arraymorph.array.ChunkCoordinates;
import io.arraymorph.array.Shape;
import io.arraymorph.optimizer.plan.PlannedChunk;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.imageio.ImageIO;

/**
 * The chunk grid of an array with each touched chunk coloured by the method that reads it, as SVG
 * or PNG.
 *
 * <p>Two dimensions are drawn, those with the most chunks; of the others the chunks lie on top of
 * each other.
 */
final class PlanPicture {
  private static final Map<String, Color> COLORS =
      Map.of(
          "whole", new Color(0x1f77b4),
          "ranges", new Color(0x2ca02c),
          "function", new Color(0xff7f0e),
          "cached", new Color(0x9467bd),
          "fill", new Color(0xbbbbbb));
  private static final Color OTHER = new Color(0x9467bd);
  private static final int SIDE = 560;
  private static final int LEFT = 60;
  private static final int TOP = 56;
  private static final int RIGHT = 220;
  private static final int BOTTOM = 40;
  private static final int MAX_LINES = 128;

  /** A filled rectangle, or an outline if {@code filled} is false. */
  private record Box(
      double x, double y, double width, double height, Color color, boolean filled) {}

  private record Label(double x, double y, String text, boolean strong) {}

  private final List<Box> boxes = new ArrayList<>();
  private final List<Label> labels = new ArrayList<>();
  private final int width;
  private final int height;

  /**
   * @param title above the grid
   * @param grid chunks along each dimension
   * @param names of the dimensions
   * @param sums lines beside the grid
   */
  PlanPicture(
      String title, Shape grid, List<String> names, List<PlannedChunk> chunks, List<String> sums) {
    int rows = -1;
    int columns = -1;
    for (int d = grid.rank() - 1; d >= 0; d--) {
      if (columns < 0 || grid.length(d) > grid.length(columns)) {
        columns = d;
      }
    }
    for (int d = grid.rank() - 1; d >= 0; d--) {
      if (d != columns && (rows < 0 || grid.length(d) > grid.length(rows))) {
        rows = d;
      }
    }
    if (rows > columns) {
      int swapped = rows;
      rows = columns;
      columns = swapped;
    }
    long across = columns < 0 ? 1 : Math.max(1, grid.length(columns));
    long down = rows < 0 ? 1 : Math.max(1, grid.length(rows));
    double cell = Math.min(64, Math.min((double) SIDE / across, (double) SIDE / down));
    double stretch = rows < 0 ? Math.max(cell, 24) : cell;
    width = (int) (LEFT + across * cell + RIGHT);
    height = (int) Math.max(TOP + down * stretch + BOTTOM, TOP + 24 * (sums.size() + 6));
    labels.add(new Label(LEFT, 24, title, true));
    drawChunks(chunks, rows, columns, cell, stretch);
    if (across <= MAX_LINES && down <= MAX_LINES) {
      for (long y = 0; y < down; y++) {
        for (long x = 0; x < across; x++) {
          boxes.add(
              new Box(LEFT + x * cell, TOP + y * stretch, cell, stretch, Color.LIGHT_GRAY, false));
        }
      }
    }
    boxes.add(new Box(LEFT, TOP, across * cell, down * stretch, Color.DARK_GRAY, false));
    if (columns >= 0) {
      labels.add(
          new Label(
              LEFT,
              TOP + down * stretch + 18,
              names.get(columns) + ": " + across + " chunks",
              false));
    }
    if (rows >= 0) {
      labels.add(new Label(LEFT, TOP - 8, names.get(rows) + ": " + down + " chunks down", false));
    }
    drawLegend(chunks, LEFT + across * cell + 16, sums);
  }

  private void drawChunks(
      List<PlannedChunk> chunks, int rows, int columns, double cell, double stretch) {
    Map<List<Long>, String> methods =
        new TreeMap<>(
            (a, b) -> {
              int first = Long.compare(a.get(0), b.get(0));
              return first != 0 ? first : Long.compare(a.get(1), b.get(1));
            });
    for (PlannedChunk planned : chunks) {
      ChunkCoordinates chunk = planned.chunk();
      methods.put(
          List.of(rows < 0 ? 0 : chunk.index(rows), columns < 0 ? 0 : chunk.index(columns)),
          planned.access().method());
    }
    methods.forEach(
        (at, method) ->
            boxes.add(
                new Box(
                    LEFT + at.get(1) * cell,
                    TOP + at.get(0) * stretch,
                    cell,
                    stretch,
                    color(method),
                    true)));
  }

  private void drawLegend(List<PlannedChunk> chunks, double x, List<String> sums) {
    Map<String, Long> counts = new TreeMap<>();
    chunks.forEach(chunk -> counts.merge(chunk.access().method(), 1L, Long::sum));
    double y = TOP + 8;
    for (Map.Entry<String, Long> method : counts.entrySet()) {
      boxes.add(new Box(x, y - 11, 14, 14, color(method.getKey()), true));
      labels.add(
          new Label(x + 20, y, method.getKey() + ": " + method.getValue() + " chunks", false));
      y += 24;
    }
    y += 12;
    for (String sum : sums) {
      labels.add(new Label(x, y, sum, false));
      y += 20;
    }
  }

  private static Color color(String method) {
    return COLORS.getOrDefault(method, OTHER);
  }

  /** The picture as the text of an SVG file. */
  String svg() {
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
                + " font-family=\"sans-serif\" font-size=\"13\">%n"
                + "<rect width=\"%d\" height=\"%d\" fill=\"white\"/>%n",
            width,
            height,
            width,
            height));
    for (Box box : boxes) {
      String color = String.format(Locale.ROOT, "#%06x", box.color.getRGB() & 0xffffff);
      svg.append(
          String.format(
              Locale.ROOT,
              "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" %s/>%n",
              box.x,
              box.y,
              box.width,
              box.height,
              box.filled
                  ? "fill=\"" + color + "\""
                  : "fill=\"none\" stroke=\"" + color + "\" stroke-width=\"0.5\""));
    }
    for (Label label : labels) {
      svg.append(
          String.format(
              Locale.ROOT,
              "<text x=\"%.1f\" y=\"%.1f\"%s>%s</text>%n",
              label.x,
              label.y,
              label.strong ? " font-weight=\"bold\"" : "",
              escaped(label.text)));
    }
    return svg.append("</svg>").append(System.lineSeparator()).toString();
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private BufferedImage image() {
    BufferedImage image = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
    Graphics2D graphics = image.createGraphics();
    graphics.setRenderingHint(
        RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
    graphics.setColor(Color.WHITE);
    graphics.fillRect(0, 0, width, height);
    for (Box box : boxes) {
      graphics.setColor(box.color);
      int x = (int) Math.round(box.x);
      int y = (int) Math.round(box.y);
      int right = (int) Math.round(box.x + box.width);
      int bottom = (int) Math.round(box.y + box.height);
      if (box.filled) {
        graphics.fillRect(x, y, Math.max(1, right - x), Math.max(1, bottom - y));
      } else {
        graphics.drawRect(x, y, right - x, bottom - y);
      }
    }
    graphics.setColor(Color.BLACK);
    for (Label label : labels) {
      graphics.setFont(new Font(Font.SANS_SERIF, label.strong ? Font.BOLD : Font.PLAIN, 13));
      graphics.drawString(label.text, (float) label.x, (float) label.y);
    }
    graphics.dispose();
    return image;
  }

  /**
   * Writes the picture.
   *
   * @param file ending in {@code .svg} or {@code .png}
   * @throws ArrayMorphException with INVALID_OPTION for other names, or if it cannot be written
   */
  void write(Path file) {
    String name = file.toString().toLowerCase(Locale.ROOT);
    try {
      if (name.endsWith(".svg")) {
        Files.write(file, svg().getBytes(StandardCharsets.UTF_8));
      } else if (name.endsWith(".png")) {
        System.setProperty("java.awt.headless", "true");
        if (!ImageIO.write(image(), "png", file.toFile())) {
          throw new IOException("no writer for PNG");
        }
      } else {
        throw new ArrayMorphException(
            ErrorCode.INVALID_OPTION, "plot '" + file + "' is neither .svg nor .png", "Name one");
      }
    } catch (IOException | UnsatisfiedLinkError e) {
      throw new ArrayMorphException(
          ErrorCode.INVALID_OPTION,
          "plot '" + file + "' cannot be written",
          "Name a file in a folder that exists; .svg needs no fonts",
          e);
    }
  }
}
