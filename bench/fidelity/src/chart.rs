//! The tables as one picture: a panel for each, in it a row for each method, in the row a dot for each budget.

use std::error::Error;
use std::fs;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;

use crate::table::Table;

/// The size of a panel, and the height of the line above all of them that says what the dots mean.
const PANEL: (u32, u32) = (520, 250);
const LEGEND: u32 = 34;
/// How many panels stand side by side.
const COLUMNS: usize = 2;

/// The colours of the dots, from the largest budget to the smallest.
const DOTS: [RGBColor; 4] = [
    RGBColor(0x0B, 0x5C, 0xAD),
    RGBColor(0x0B, 0x7D, 0x5B),
    RGBColor(0xB4, 0x53, 0x09),
    RGBColor(0xB0, 0x30, 0x7A),
];
const TEXT: RGBColor = RGBColor(0x24, 0x29, 0x2F);
const GRID: RGBColor = RGBColor(0xD8, 0xDE, 0xE4);

/// The colours on a dark page. A viewer takes them from the style instead of the attributes of the shapes.
const DARK: &str = "<style>@media (prefers-color-scheme: dark) {
text { fill: #E6EDF3 }
polyline[stroke=\"#D8DEE4\"], line[stroke=\"#D8DEE4\"] { stroke: #3D444D }
circle[fill=\"#0B5CAD\"] { fill: #6CB2FF }
circle[fill=\"#0B7D5B\"] { fill: #4FD1A5 }
circle[fill=\"#B45309\"] { fill: #F5A524 }
circle[fill=\"#B0307A\"] { fill: #FF86C8 }
}</style>";

/// The panels in their order.
#[derive(Default)]
pub(crate) struct Chart {
    panels: Vec<(String, Table)>,
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

impl Chart {
    /// Adds a panel with the means of a table.
    pub(crate) fn add(&mut self, title: &str, table: Table) {
        self.panels.push((title.to_owned(), table));
    }

    /// Writes the picture.
    pub(crate) fn write(&self, path: &Path) {
        let svg = self.svg().expect("the panels fit");
        fs::write(path, svg).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    fn svg(&self) -> Result<String, Box<dyn Error>> {
        let rows = self.panels.len().div_ceil(COLUMNS);
        let size = (PANEL.0 * COLUMNS as u32, LEGEND + PANEL.1 * rows as u32);
        let mut svg = String::new();
        {
            let whole = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            let (legend, panels) = whole.split_vertically(LEGEND);
            draw_legend(&legend)?;
            for (area, (title, table)) in
                panels.split_evenly((rows, COLUMNS)).iter().zip(&self.panels)
            {
                draw_panel(area, title, table)?;
            }
            whole.present()?;
        }
        Ok(svg.replacen('>', &format!(">\n{DARK}"), 1))
    }
}

fn draw_legend(area: &Area<'_>) -> Result<(), Box<dyn Error>> {
    let text = ("sans-serif", 14).into_font().color(&TEXT);
    area.draw(&Text::new("Share that is still there, at a budget of", (16, 14), text.clone()))?;
    for (place, (color, (name, _))) in DOTS.iter().zip(crate::BUDGETS).enumerate() {
        let x = 300 + 80 * place as i32;
        area.draw(&Circle::new((x, 20), 5, color.filled()))?;
        area.draw(&Text::new(name, (x + 10, 14), text.clone()))?;
    }
    Ok(())
}

fn draw_panel(area: &Area<'_>, title: &str, table: &Table) -> Result<(), Box<dyn Error>> {
    let methods = table.methods();
    let last = methods.len().saturating_sub(1);
    let dots: Vec<(usize, f64, RGBColor)> = (0..methods.len())
        .flat_map(|method| {
            DOTS.iter().zip(crate::BUDGETS).filter_map(move |(color, (budget, _))| {
                // The first method stands at the top.
                Some((last - method, table.mean_of(method, budget)?, *color))
            })
        })
        .collect();
    // The axis ends at the next tenth.
    let most = dots.iter().map(|(_, mean, _)| (mean * 10.0).ceil() / 10.0).fold(0.1, f64::max);
    let mut panel = ChartBuilder::on(area)
        .caption(title, ("sans-serif", 16).into_font().color(&TEXT))
        .margin(10)
        .x_label_area_size(22)
        .y_label_area_size(190)
        .build_cartesian_2d(0.0..most, (0..last).into_segmented())?;
    panel
        .configure_mesh()
        .axis_style(GRID)
        .bold_line_style(GRID)
        .light_line_style(TRANSPARENT)
        .label_style(("sans-serif", 13).into_font().color(&TEXT))
        .x_labels(6)
        .x_label_formatter(&|share| format!("{share:.1}"))
        .y_labels(methods.len())
        .y_label_formatter(&|row| match row {
            SegmentValue::CenterOf(row) | SegmentValue::Exact(row) => methods[last - row].clone(),
            SegmentValue::Last => String::new(),
        })
        .draw()?;
    panel.draw_series(dots.into_iter().map(|(row, mean, color)| {
        Circle::new((mean, SegmentValue::CenterOf(row)), 4, color.filled())
    }))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_a_dot_for_each_mean_and_colours_for_dark_pages() {
        let mut table = Table::default();
        table.add("first", "50 %", vec![0.5, 0.7]);
        table.add("second", "50 %", vec![0.25]);
        table.add("second", "5 %", vec![0.1]);
        let mut chart = Chart::default();
        chart.add("A measure", table);
        let svg = chart.svg().expect("it is drawn");
        assert_eq!(svg.matches("<circle").count(), crate::BUDGETS.len() + 3);
        for text in ["A measure", "first", "second", "prefers-color-scheme: dark"] {
            assert!(svg.contains(text), "{text}");
        }
        for color in DOTS {
            let RGBColor(red, green, blue) = color;
            assert!(DARK.contains(&format!("circle[fill=\"#{red:02X}{green:02X}{blue:02X}\"]")));
        }
    }
}
